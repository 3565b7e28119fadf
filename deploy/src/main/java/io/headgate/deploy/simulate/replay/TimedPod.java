package io.headgate.deploy.simulate.replay;

import io.headgate.deploy.simulate.openb.Pod;
import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.deploy.simulate.trace.TraceTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A task of the openb trace with its times.
///
/// @param created when it was submitted, from the start of the trace
/// @param runs how long it ran
public record TimedPod(Pod pod, Service service, Duration created, Duration runs) {
  private static final long MOST_SECONDS = 10_000_000_000L;

  /// The service class of a task, best first.
  public enum Service {
    /// Long-running, and `Guaranteed`.
    LS(2),
    BURSTABLE(1),
    BE(0);

    private final int priority;

    Service(int priority) {
      this.priority = priority;
    }

    int priority() {
      return priority;
    }
  }

  /// Reads a file of the trace.
  ///
  /// @param lines of the file, the first with the names of the columns
  /// @throws TraceException when a line cannot be used
  public static List<TimedPod> parse(List<String> lines) throws TraceException {
    TraceTable table =
        new TraceTable(
            lines,
            "name",
            "cpu_milli",
            "memory_mib",
            "num_gpu",
            "gpu_milli",
            "qos",
            "creation_time",
            "deletion_time");
    List<TimedPod> pods = new ArrayList<>();
    Set<String> names = TraceTable.names();
    for (int i = 0; i < table.size(); i++) {
      TraceTable.Row row = table.row(i);
      TraceTable.checkNew(names, row, "name");
      long created = row.number("creation_time", 0, MOST_SECONDS);
      long deleted = row.number("deletion_time", 0, MOST_SECONDS);
      if (deleted < created) {
        throw row.refusal("deletion_time", "not before its creation_time, " + created);
      }
      pods.add(
          new TimedPod(
              Pod.of(row),
              service(row),
              Duration.ofSeconds(created),
              Duration.ofSeconds(deleted - created)));
    }
    return pods;
  }

  private static Service service(TraceTable.Row row) throws TraceException {
    return switch (row.text("qos")) {
      case "LS", "Guaranteed" -> Service.LS;
      case "Burstable" -> Service.BURSTABLE;
      case "BE" -> Service.BE;
      default -> throw row.refusal("qos", "LS, Guaranteed, Burstable or BE");
    };
  }
}
