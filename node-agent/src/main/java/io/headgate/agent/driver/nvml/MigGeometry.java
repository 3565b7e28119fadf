package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.SliceTable;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The sizes of instances that a GPU offers, as read from it.
record MigGeometry(List<Profile> profiles) {
  /// Numbers of compute instances by how many slices they have.
  private static final Map<Integer, Integer> COMPUTE_PROFILES =
      Map.of(1, 0, 2, 1, 3, 2, 4, 3, 7, 4, 8, 5, 6, 6);

  /// One size.
  ///
  /// @param name without the driver's word MIG before it: `1g.10gb`
  /// @param id by which the GPU knows it
  /// @param computeProfile number of the compute instance that fills such an instance, in NVML's
  ///   list of all
  /// @param starts first memory slice of each place, ascending
  record Profile(
      String name,
      int id,
      int computeProfile,
      int computeSlices,
      int memorySlices,
      long memoryBytes,
      List<Integer> starts) {
    Profile {
      starts = List.copyOf(starts);
    }
  }

  MigGeometry {
    profiles = List.copyOf(profiles);
  }

  /// Number of the compute instance with this many slices; empty: there is none.
  static Optional<Integer> computeProfile(int slices) {
    return Optional.ofNullable(COMPUTE_PROFILES.get(slices));
  }

  Optional<Profile> named(String name) {
    return profiles.stream().filter(profile -> profile.name().equals(name)).findFirst();
  }

  /// The table of slices that the scheduler gets.
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
