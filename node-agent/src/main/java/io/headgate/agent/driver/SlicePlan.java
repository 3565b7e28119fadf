package io.headgate.agent.driver;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import java.util.SortedMap;
import java.util.TreeMap;

/// One slice as it is to be made, written down before it is.
///
/// @param number position among the attempt's slices, from 0
/// @param mechanism the driver's name of how: `whole`, `mig`, `cgroup`, `simulated`
/// @param isolation what this really gives
/// @param memoryLimitBytes device memory that the slice stands for
/// @param placement what the driver needs to find the slice again
public record SlicePlan(
    AttemptKey attempt,
    int number,
    SliceGrant grant,
    String mechanism,
    IsolationLevel isolation,
    long memoryLimitBytes,
    SortedMap<String, String> placement) {

  public SlicePlan {
    placement = new TreeMap<>(placement);
  }
}
