package io.headgate.pool.store;

import io.headgate.pool.core.node.SliceTable;
import io.headgate.pool.core.node.SliceTable.Profile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The text of a slice table in its column: `8 7`, then `4 3 0,4 3g.40gb` for each profile; empty
/// if the device reported none.
final class SliceTableText {
  private SliceTableText() {}

  static String[] of(Optional<SliceTable> slices) {
    if (slices.isEmpty()) {
      return new String[0];
    }
    SliceTable table = slices.get();
    List<String> lines = new ArrayList<>();
    lines.add(table.memorySlices() + " " + table.computeSlices());
    for (Profile profile : table.profiles()) {
      String starts =
          profile.starts().stream().map(String::valueOf).collect(Collectors.joining(","));
      lines.add(
          "%d %d %s %s"
              .formatted(profile.memorySlices(), profile.computeSlices(), starts, profile.name()));
    }
    return lines.toArray(String[]::new);
  }

  static Optional<SliceTable> parse(String[] lines) {
    if (lines.length == 0) {
      return Optional.empty();
    }
    String[] head = lines[0].split(" ", 2);
    return Optional.of(
        new SliceTable(
            Integer.parseInt(head[0]),
            Integer.parseInt(head[1]),
            Arrays.stream(lines).skip(1).map(SliceTableText::profile).toList()));
  }

  private static Profile profile(String line) {
    String[] parts = line.split(" ", 4);
    return new Profile(
        parts[3],
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]),
        Arrays.stream(parts[2].split(",", -1)).map(Integer::valueOf).toList());
  }
}
