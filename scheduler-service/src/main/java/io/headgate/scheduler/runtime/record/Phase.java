package io.headgate.scheduler.runtime.record;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// A part of a job's life that is over: one span of its trace. It is written in the event that ends
/// it, in the transaction that decides the end.
///
/// @param ordinal tells phases of the same kind, job and attempt apart
/// @param end absent: when the event was written
/// @param details words by name, without tabs; the attributes and links of the span
public record Phase(
    Kind kind, int ordinal, Instant begin, Optional<Instant> end, Map<String, String> details) {
  private static final String SEPARATOR = "\t";
  private static final int FIXED = 4;

  public Phase {
    details = Map.copyOf(details);
  }

  /// The kinds of phases.
  public enum Kind {
    /// From the arrival of the submission to its commit.
    SUBMIT,
    /// Waiting for one reason.
    WAIT,
    /// The decision to start, until it is handed to the database.
    DECIDE,
    /// The transaction of that decision.
    COMMIT,
    /// From the assignment until all workers run, or until the attempt ends without a run.
    ATTEMPT,
    /// The run of the program, until its attempt ends or is suspended.
    RUN,
    /// From the order to leave for another job until the slices are free.
    PREEMPT,
    /// From any other order to stop until the slices are free.
    STOP,
    /// One step of a stop on a machine.
    STEP,
    /// The decision to take a victim's slices, in the trace of the job that gets them.
    VICTIM,
    /// The record of the job's end.
    END
  }

  /// The phase in one cell of a row.
  public String text() {
    StringBuilder text =
        new StringBuilder()
            .append(kind)
            .append(SEPARATOR)
            .append(ordinal)
            .append(SEPARATOR)
            .append(micros(begin))
            .append(SEPARATOR);
    end.ifPresent(at -> text.append(micros(at)));
    details.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(detail ->
            text.append(SEPARATOR)
                .append(detail.getKey())
                .append(SEPARATOR)
                .append(detail.getValue().replace('\t', ' ')));
    return text.toString();
  }

  /// Reads what [#text] wrote.
  public static Phase parse(String text) {
    String[] parts = text.split(SEPARATOR, -1);
    Map<String, String> details = new LinkedHashMap<>();
    for (int i = FIXED; i + 1 < parts.length; i += 2) {
      details.put(parts[i], parts[i + 1]);
    }
    return new Phase(
        Kind.valueOf(parts[0]),
        Integer.parseInt(parts[1]),
        time(parts[2]),
        parts[3].isEmpty() ? Optional.empty() : Optional.of(time(parts[3])),
        details);
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static Instant time(String micros) {
    return Instant.EPOCH.plus(Long.parseLong(micros), ChronoUnit.MICROS);
  }
}
