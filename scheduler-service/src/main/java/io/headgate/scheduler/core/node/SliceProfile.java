package io.headgate.scheduler.core.node;

import java.util.List;

/// A size of slice that a device offers, and where slices of it may lie.
///
/// @param name as the driver calls it: `1g.10gb`, `CPX`
/// @param memorySlices how many of the device's memory slices it takes, from 1
/// @param computeSlices how many of the device's compute slices it brings, from 0
/// @param starts first memory slices of its placements, ascending
public record SliceProfile(String name, int memorySlices, int computeSlices, List<Integer> starts) {
  public SliceProfile {
    starts = List.copyOf(starts);
    if (name.isEmpty() || memorySlices < 1 || computeSlices < 0 || starts.isEmpty()) {
      throw new IllegalArgumentException(
          "slice profile \"%s\": %d memory slices, %d compute slices, starts %s"
              .formatted(name, memorySlices, computeSlices, starts));
    }
    int before = -1;
    for (int start : starts) {
      if (start <= before) {
        throw new IllegalArgumentException(
            "slice profile %s: starts %s must ascend from 0".formatted(name, starts));
      }
      before = start;
    }
  }
}
