package io.headgate.deploy.simulate.openb;

import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.deploy.simulate.trace.TraceTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A task of the trace.
///
/// @param gpuMilli thousandths of each of its GPUs; below 1000 only for a task of one GPU
/// @param models that its GPUs may have, sorted; empty: any
public record Pod(
    String name, long cpuMillis, long memoryMib, int gpus, int gpuMilli, List<String> models) {
  private static final long MOST = 1_000_000_000;
  private static final int MOST_GPUS = 64;

  public Pod {
    models = List.copyOf(models);
  }

  /// Thousandths of GPUs that all its GPUs come to.
  public long totalGpuMilli() {
    return (long) gpus * gpuMilli;
  }

  /// Reads a file of the trace.
  ///
  /// @param lines of the file, the first with the names of the columns
  /// @throws TraceException when a line cannot be used
  public static List<Pod> parse(List<String> lines) throws TraceException {
    TraceTable table =
        new TraceTable(lines, "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli");
    List<Pod> pods = new ArrayList<>();
    Set<String> names = TraceTable.names();
    for (int i = 0; i < table.size(); i++) {
      TraceTable.Row row = table.row(i);
      TraceTable.checkNew(names, row, "name");
      pods.add(of(row));
    }
    return pods;
  }

  /// Reads a line.
  ///
  /// @throws TraceException when it cannot be used
  public static Pod of(TraceTable.Row row) throws TraceException {
    int gpus = (int) row.number("num_gpu", 0, MOST_GPUS);
    int milli = (int) row.number("gpu_milli", 0, 1000);
    if (gpus == 0 ? milli != 0 : milli == 0 || (gpus > 1 && milli < 1000)) {
      throw row.refusal("gpu_milli", "0 without GPU, 1 to 1000 with one, and 1000 with several");
    }
    String spec = row.textIfPresent("gpu_spec");
    return new Pod(
        row.text("name"),
        row.number("cpu_milli", 0, MOST),
        row.number("memory_mib", 0, MOST),
        gpus,
        milli,
        spec.isEmpty() ? List.of() : List.copyOf(new TreeSet<>(List.of(spec.split("\\|")))));
  }
}
