package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.SliceTable;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The sizes of instances that a GPU offers, as read from it.
record MigGeometry(List<Profile> profiles) {
  /// One size.
  ///
  /// @param name without the driver's word MIG before it: `1g.10gb`
  /// @param id by which the GPU knows it
  /// @param starts first memory slice of each place, ascending
  record Profile(
      String name,
      int id,
      int computeSlices,
      int memorySlices,
      long memoryBytes,
      List<Integer> starts) {
    Profile {
      starts = List.copyOf(starts);
    }

    /// Number of the compute instance that is all of such an instance, in NVML's list of all.
    int computeProfile() {
      return switch (computeSlices) {
        case 1 -> 0;
        case 2 -> 1;
        case 3 -> 2;
        case 4 -> 3;
        case 7 -> 4;
        case 8 -> 5;
        case 6 -> 6;
        default ->
            throw new IllegalArgumentException(
                name + " has " + computeSlices + " compute slices, which is new");
      };
    }
  }

  MigGeometry {
    profiles = List.copyOf(profiles);
  }

  Optional<Profile> named(String name) {
    return profiles.stream().filter(profile -> profile.name().equals(name)).findFirst();
  }

  /// As the scheduler is told.
  SliceTable table() {
    return new SliceTable(
        profiles.stream()
            .mapToInt(profile -> profile.starts().getLast() + profile.memorySlices())
            .max()
            .orElseThrow(),
        profiles.stream().mapToInt(Profile::computeSlices).max().orElseThrow(),
        profiles.stream()
            .sorted(Comparator.comparingInt(Profile::memorySlices))
            .map(profile ->
                new SliceTable.Profile(
                    profile.name(),
                    profile.memorySlices(),
                    profile.computeSlices(),
                    profile.starts()))
            .toList());
  }
}
