package io.headgate.pool.core.node;

import java.util.List;

/// The slice sizes of a MIG or AMD device, and their places.
///
/// @param memorySlices of the device, 1 to 8
/// @param computeSlices of the device, from 1
/// @param profiles the sizes, at least one
public record SliceTable(int memorySlices, int computeSlices, List<Profile> profiles) {
  /// One size.
  ///
  /// @param name as in the driver
  /// @param memorySlices that it occupies, from 1
  /// @param computeSlices that it provides, from 0
  /// @param starts first memory slice of each of its places, ascending
  public record Profile(String name, int memorySlices, int computeSlices, List<Integer> starts) {
    public Profile {
      starts = List.copyOf(starts);
    }

    /// Whether its places lie on a device of this size, in ascending order.
    boolean fits(int ofMemory, int ofCompute) {
      int before = -1;
      for (int start : starts) {
        if (start <= before || start + memorySlices > ofMemory) {
          return false;
        }
        before = start;
      }
      return computeSlices <= ofCompute && !starts.isEmpty();
    }
  }

  public SliceTable {
    profiles = List.copyOf(profiles);
  }

  /// The name of the first profile that cannot lie on the device; empty: all can.
  public String misfit() {
    return profiles.stream()
        .filter(profile -> !profile.fits(memorySlices, computeSlices))
        .map(Profile::name)
        .findFirst()
        .orElse("");
  }
}
