package io.headgate.scheduler.store;

import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The jobs that a job waits for, in one cell: `17:OK:prepare-1 18:ANY:clean-1`. Names have neither
/// blanks nor colons.
final class GateRow {
  private GateRow() {}

  /// Empty: it waits for none.
  static Optional<String> text(Gate gate) {
    return gate.after().isEmpty()
        ? Optional.empty()
        : Optional.of(
            gate.after().stream()
                .map(each -> each.on() + ":" + each.condition() + ":" + each.name())
                .collect(Collectors.joining(" ")));
  }

  static Gate gate(Optional<Instant> notBefore, Optional<String> after) {
    return notBefore.isEmpty() && after.isEmpty()
        ? Gate.OPEN
        : new Gate(notBefore, after.map(GateRow::dependencies).orElse(List.of()));
  }

  private static List<Dependency> dependencies(String text) {
    List<Dependency> dependencies = new ArrayList<>();
    for (String each : text.split(" ", -1)) {
      String[] parts = each.split(":", 3);
      dependencies.add(
          new Dependency(
              new JobId(Long.parseLong(parts[0])), parts[2], Condition.valueOf(parts[1])));
    }
    return dependencies;
  }
}
