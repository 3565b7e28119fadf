package io.headgate.agent.driver;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// The plan of one slice, written down before the slice is made.
///
/// @param number position among the attempt's slices, from 0
/// @param mechanism the driver's name of the mechanism: `whole`, `mig`, `cgroup`, `mps`,
///   `simulated`
/// @param isolation the isolation that the slice really gives
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
  /// Begins the keys of a placement that say how the device was before the slice was made.
  public static final String BEFORE = "before-";

  /// A slice of which the driver leaves nothing to be found again.
  public SlicePlan(
      AttemptKey attempt,
      int number,
      SliceGrant grant,
      String mechanism,
      IsolationLevel isolation,
      long memoryLimitBytes) {
    this(attempt, number, grant, mechanism, isolation, memoryLimitBytes, new TreeMap<>());
  }

  public SlicePlan {
    placement = new TreeMap<>(placement);
  }

  /// Whether the driver leaves nothing of the slice that would have to be found again.
  public boolean isTraceless() {
    return placement.keySet().stream().allMatch(key -> key.startsWith(BEFORE));
  }

  /// The same plan with another placement.
  public SlicePlan withPlacement(SortedMap<String, String> other) {
    return new SlicePlan(attempt, number, grant, mechanism, isolation, memoryLimitBytes, other);
  }

  /// Names it among all slices of the machine.
  public String name() {
    return attempt.directoryName() + "#" + number;
  }

  /// Only where a device has places can an attempt have several slices of it.
  ///
  /// @throws GpuDriverException when an attempt would have several of one that has none
  public static void requireOneOfEachWithoutPlaces(List<SlicePlan> plans) {
    Set<String> devices = new HashSet<>();
    for (SlicePlan plan : plans) {
      if (!devices.add(plan.grant().deviceUuid()) && plan.grant().place().isEmpty()) {
        throw new GpuDriverException("a job has two slices of one GPU; ask for one larger slice");
      }
    }
  }
}
