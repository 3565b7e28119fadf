package io.headgate.agent.core;

import java.util.List;

/// The sizes of slices that a device with places offers, and where they may lie.
///
/// @param memorySlices of the device, 1 to 8
/// @param computeSlices of the device, from 1
public record SliceTable(int memorySlices, int computeSlices, List<Profile> profiles) {
  /// One size.
  ///
  /// @param name as the driver calls it
  /// @param memorySlices that it takes, from 1
  /// @param computeSlices that it brings
  /// @param starts first memory slice of each of its places, ascending
  public record Profile(String name, int memorySlices, int computeSlices, List<Integer> starts) {
    public Profile {
      starts = List.copyOf(starts);
    }
  }

  public SliceTable {
    profiles = List.copyOf(profiles);
  }
}
