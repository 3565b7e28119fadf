package io.headgate.scheduler.runtime.trace;

import io.headgate.scheduler.runtime.record.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/// The choice of the phases that become spans. A trace is written as a whole or not at all, by its
/// id, so all processes and leaders choose the same traces. Phases of preempted, failed and slow
/// jobs are written in any case, because their end is known by then.
///
/// @param ratio part of the traces that are written, 0 to 1
public record Sampling(double ratio) {
  public static final Sampling ALL = new Sampling(1);

  private static final Duration SLOW_WAIT = Duration.ofMinutes(10);
  private static final Duration SLOW_START = Duration.ofMinutes(1);
  private static final Set<String> FAILURES =
      Set.of("FAILED", "TIMED_OUT", "LOST", "REJECTED", "REQUEUED", "SUSPENDED");
  private static final int RANDOM_PART = 16;
  private static final int HEXADECIMAL = 16;

  public Sampling {
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException("ratio of traces: 0 to 1, not " + ratio);
    }
  }

  /// Whether the whole trace is written. A caller that writes its part of the trace decides for the
  /// job.
  public boolean isWritten(JobTrace trace) {
    return trace.continues() || isWritten(trace.traceId());
  }

  /// As OpenTelemetry's sampler by the ratio of trace ids chooses.
  private boolean isWritten(String traceId) {
    long random =
        Long.parseUnsignedLong(traceId.substring(RANDOM_PART), HEXADECIMAL) & Long.MAX_VALUE;
    return ratio == 1 || random < (long) (ratio * Long.MAX_VALUE);
  }

  /// Whether the phase is of a preempted, failed or slow job.
  public boolean isNotable(Phase phase, Instant end) {
    Duration length = Duration.between(phase.begin(), end);
    String outcome = phase.details().getOrDefault("outcome", "");
    return switch (phase.kind()) {
      case PREEMPT, VICTIM -> true;
      case STEP -> phase.details().getOrDefault("under", "").startsWith(Phase.Kind.PREEMPT.name());
      case RUN, END -> FAILURES.contains(outcome);
      case WAIT -> length.compareTo(SLOW_WAIT) >= 0;
      case ATTEMPT -> length.compareTo(SLOW_START) >= 0 || FAILURES.contains(outcome);
      case SUBMIT, DECIDE, COMMIT, STOP -> false;
    };
  }

  /// The W3C `traceparent` that the attempt's agent and program continue.
  public String traceparent(JobTrace trace, int attempt) {
    return trace.ofAttempt(attempt, isWritten(trace));
  }
}
