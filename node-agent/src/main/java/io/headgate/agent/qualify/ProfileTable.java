package io.headgate.agent.qualify;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.SliceTable;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Compares the driver's sizes of MIG instances with those that the scheduler plans with.
record ProfileTable() implements Experiment {
  /// Models with 8 memory and 7 compute slices, whose instances have the same places.
  private static final Pattern KNOWN = Pattern.compile("(A100|H100|H200|B200)");

  private static final List<String> GOLDEN =
      List.of(
          "1 of memory, 1 of compute at [0, 1, 2, 3, 4, 5, 6]",
          "2 of memory, 1 of compute at [0, 2, 4, 6]",
          "2 of memory, 2 of compute at [0, 2, 4]",
          "4 of memory, 3 of compute at [0, 4]",
          "4 of memory, 4 of compute at [0]",
          "8 of memory, 7 of compute at [0]");

  @Override
  public String name() {
    return "golden profile table";
  }

  @Override
  public String claim() {
    return "MIG offers the sizes and places that Headgate knows of this model.";
  }

  @Override
  public String needs() {
    return "MIG to be on, of an A100, H100, H200 or B200";
  }

  @Override
  public boolean usesProbe() {
    return false;
  }

  @Override
  public Finding run(Bench bench) {
    DeviceInfo gpu = bench.gpu();
    if (gpu.geometry() != DeviceInfo.Geometry.MIG) {
      return Finding.notShown(
          "MIG is off or not there, and its mode is not touched (nvidia-smi -i %d -mig 1)"
              .formatted(gpu.index()));
    }
    NavigableSet<String> told = told(gpu.slices().orElseThrow());
    Finding found;
    if (!KNOWN.matcher(gpu.model()).find()) {
      found = Finding.notShown("no table of %s is known here".formatted(gpu.model()));
    } else if (told.equals(new TreeSet<>(GOLDEN))) {
      found = Finding.passed("the driver tells the same");
    } else {
      NavigableSet<String> missing = new TreeSet<>(GOLDEN);
      missing.removeAll(told);
      NavigableSet<String> unknown = new TreeSet<>(told);
      GOLDEN.forEach(unknown::remove);
      found =
          Finding.failed(
              "the driver does not tell %s, and tells %s besides".formatted(missing, unknown));
    }
    return found.with("told", String.join("; ", told));
  }

  private static NavigableSet<String> told(SliceTable table) {
    NavigableSet<String> told = new TreeSet<>();
    for (SliceTable.Profile profile : table.profiles()) {
      told.add(
          "%d of memory, %d of compute at %s"
              .formatted(profile.memorySlices(), profile.computeSlices(), profile.starts()));
    }
    return told;
  }
}
