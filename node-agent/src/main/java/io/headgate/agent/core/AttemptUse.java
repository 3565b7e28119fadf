package io.headgate.agent.core;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/// The use that an attempt has made of its slices since it began on this agent. GPU time is time
/// multiplied by the parts of the GPUs.
///
/// @param busyMillis GPU time in which its slices computed
/// @param measuredMillis GPU time over which that was measured; 0: not measured
/// @param utilization part of its slices that computed at the last sample; empty: not measured
/// @param memoryBytes device memory that it has now; empty: not measured
/// @param isLast the attempt has ended and uses nothing more
public record AttemptUse(
    AttemptKey key,
    long busyMillis,
    long measuredMillis,
    OptionalDouble utilization,
    OptionalLong memoryBytes,
    boolean isLast) {

  /// This use, of an attempt that has ended.
  public AttemptUse asLast() {
    return new AttemptUse(
        key, busyMillis, measuredMillis, OptionalDouble.empty(), OptionalLong.empty(), true);
  }
}
