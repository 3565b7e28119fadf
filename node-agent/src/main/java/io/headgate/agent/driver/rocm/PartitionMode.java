package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.SliceTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Into how many equal partitions an AMD GPU is divided. All of one GPU have one size.
enum PartitionMode {
  SPX(1),
  DPX(2),
  QPX(4),
  CPX(8);

  /// Slices of memory that tell the modes' partitions apart: as many as there are of the smallest.
  static final int MEMORY_SLICES = 8;

  private final int partitions;

  PartitionMode(int partitions) {
    this.partitions = partitions;
  }

  int partitions() {
    return partitions;
  }

  /// Memory slices of one partition.
  int size() {
    return MEMORY_SLICES / partitions;
  }

  static Optional<PartitionMode> of(String name) {
    return Arrays.stream(values()).filter(mode -> mode.name().equals(name.strip())).findFirst();
  }

  /// The slice table of a GPU with these modes, in the form that the scheduler gets.
  static SliceTable table(List<PartitionMode> modes) {
    List<SliceTable.Profile> profiles = new ArrayList<>();
    for (PartitionMode mode : modes.reversed()) {
      List<Integer> starts = new ArrayList<>();
      for (int start = 0; start < MEMORY_SLICES; start += mode.size()) {
        starts.add(start);
      }
      profiles.add(new SliceTable.Profile(mode.name(), mode.size(), mode.size(), starts));
    }
    return new SliceTable(MEMORY_SLICES, MEMORY_SLICES, profiles);
  }
}
