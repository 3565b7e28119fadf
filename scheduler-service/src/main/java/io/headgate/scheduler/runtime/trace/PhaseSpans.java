package io.headgate.scheduler.runtime.trace;

import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.kit.telemetry.FinishedSpan.Link;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.record.Phase.Kind;
import io.headgate.scheduler.runtime.trace.TraceLog.EndedPhases;
import io.headgate.scheduler.runtime.trace.TraceLog.JobFacts;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Makes spans of ended phases. The same phases give the same spans, so they may be written again.
final class PhaseSpans {
  private static final String PREFIX = "headgate.";
  private static final String LINK = "link.";

  /// Details that are no attributes: the trace of a victim's winner, and the stop of a step.
  private static final Set<String> INTERNAL = Set.of("of", "under", "phase");

  private static final Set<String> FAILED = Set.of("FAILED", "TIMED_OUT", "LOST", "REJECTED");
  private static final Set<String> FAILED_STEP = Set.of("failed", "timed-out");
  private static final Set<Kind> WITHOUT_ATTEMPT = Set.of(Kind.SUBMIT, Kind.WAIT, Kind.END);

  private final Sampling sampling;

  PhaseSpans(Sampling sampling) {
    this.sampling = sampling;
  }

  /// The spans of the phases that are written by the sampling.
  List<FinishedSpan> of(EndedPhases ended) {
    JobFacts job = ended.job();
    JobTrace trace =
        JobTrace.of(job.tenant().name(), job.name(), job.uid(), Origin.parse(job.traceparent()));
    boolean isWhole = sampling.isWritten(trace);
    List<FinishedSpan> spans = new ArrayList<>();
    for (Phase phase : ended.phases()) {
      Instant end = end(phase, ended.writtenAt());
      if (phase.kind() == Kind.VICTIM || isWhole || sampling.isNotable(phase, end)) {
        spans.add(span(ended, trace, isWhole, phase, end));
      }
    }
    return spans;
  }

  private static Instant end(Phase phase, Instant writtenAt) {
    Instant end = phase.end().orElse(writtenAt);
    // Clocks of the leader and of the database differ by little.
    return end.isBefore(phase.begin()) ? phase.begin() : end;
  }

  private static FinishedSpan span(
      EndedPhases ended, JobTrace trace, boolean isWhole, Phase phase, Instant end) {
    Optional<String> winner = Optional.ofNullable(phase.details().get("of"));
    Optional<String> parent =
        switch (phase.kind()) {
          case SUBMIT ->
              trace.continues() ? trace.caller().map(JobTrace.Caller::spanId) : Optional.empty();
          case VICTIM -> winner.map(PhaseSpans::spanId);
          case STEP -> Optional.of(stopOf(ended, trace, phase));
          // Without the rest of its trace there is no root.
          default -> isWhole ? Optional.of(trace.rootId()) : Optional.empty();
        };
    return new FinishedSpan(
        name(phase),
        phase.kind() == Kind.SUBMIT ? FinishedSpan.Kind.SERVER : FinishedSpan.Kind.INTERNAL,
        winner.map(PhaseSpans::traceId).orElse(trace.traceId()),
        id(ended, trace, phase),
        parent,
        phase.begin(),
        end,
        attributes(ended, phase),
        links(ended, trace, phase),
        problem(phase));
  }

  /// The stop under which a step is: `PREEMPT-0`.
  private static String stopOf(EndedPhases ended, JobTrace trace, Phase phase) {
    String[] stop = phase.details().getOrDefault("under", "STOP-0").split("-", 2);
    return trace.spanId(ended.attempt(), Kind.valueOf(stop[0]), Integer.parseInt(stop[1]));
  }

  private static String id(EndedPhases ended, JobTrace trace, Phase phase) {
    return switch (phase.kind()) {
      // A job waits, and ends, for one reason at a time, but not only once in an attempt.
      case WAIT, END ->
          trace.spanId(0, phase.kind(), ChronoUnit.MICROS.between(Instant.EPOCH, phase.begin()));
      // Steps of several workers have the same words, and differ by their events.
      case STEP -> trace.spanId(ended.attempt(), phase.kind(), ended.version());
      case SUBMIT, DECIDE, COMMIT, ATTEMPT, RUN, PREEMPT, STOP, VICTIM ->
          trace.spanId(
              phase.kind() == Kind.SUBMIT ? 0 : ended.attempt(), phase.kind(), phase.ordinal());
    };
  }

  private static String name(Phase phase) {
    return switch (phase.kind()) {
      case SUBMIT -> "job.submit";
      case WAIT -> "job.wait";
      case DECIDE -> "job.decide";
      case COMMIT -> "job.commit";
      case ATTEMPT -> "job.attempt";
      case RUN -> "job.run";
      case PREEMPT -> "job.preempt";
      case STOP -> "job.stop";
      case STEP -> step(phase.details().getOrDefault("phase", ""));
      case VICTIM -> "job.take";
      case END -> "job.end";
    };
  }

  private static String step(String phase) {
    return switch (phase) {
      case "callback" -> "abort.callback";
      case "term" -> "job.term";
      case "kill" -> "job.kill";
      case "cleanup" -> "job.cleanup";
      case "suspend" -> "job.suspend";
      default -> "job.step";
    };
  }

  private static Map<String, Object> attributes(EndedPhases ended, Phase phase) {
    JobFacts job = ended.job();
    Map<String, Object> attributes = new LinkedHashMap<>();
    attributes.put("headgate.tenant", job.tenant().name());
    attributes.put("headgate.job", job.name());
    attributes.put("headgate.queue", job.queue());
    attributes.put("headgate.policy", job.policy());
    attributes.put("headgate.profile", job.profile());
    if (ended.attempt() > 0 && !WITHOUT_ATTEMPT.contains(phase.kind())) {
      attributes.put("headgate.attempt", (long) ended.attempt());
    }
    phase
        .details()
        .forEach((name, value) -> {
          if (!INTERNAL.contains(name) && !name.startsWith(LINK) && !value.isEmpty()) {
            attributes.put(PREFIX + name, value);
          }
        });
    if (phase.kind() == Kind.VICTIM) {
      // The attempt is the victim's.
      attributes.remove("headgate.attempt");
    }
    return attributes;
  }

  private static List<Link> links(EndedPhases ended, JobTrace trace, Phase phase) {
    List<Link> links = new ArrayList<>();
    phase
        .details()
        .forEach((name, value) -> {
          if (name.startsWith(LINK)) {
            links.add(new Link(traceId(value), spanId(value), name.substring(LINK.length())));
          }
        });
    if (phase.kind() == Kind.ATTEMPT && ended.attempt() > 1) {
      links.add(
          new Link(trace.traceId(), trace.spanId(ended.attempt() - 1, Kind.ATTEMPT, 0), "resumes"));
    }
    if (phase.kind() == Kind.SUBMIT && !trace.continues()) {
      trace
          .caller()
          .ifPresent(caller -> links.add(new Link(caller.traceId(), caller.spanId(), "call")));
    }
    return links;
  }

  private static Optional<String> problem(Phase phase) {
    String outcome = phase.details().getOrDefault("outcome", "");
    boolean isFailed =
        switch (phase.kind()) {
          case RUN, ATTEMPT, END -> FAILED.contains(outcome);
          case STEP -> FAILED_STEP.contains(outcome);
          default -> false;
        };
    return isFailed ? Optional.of(outcome) : Optional.empty();
  }

  private static String traceId(String reference) {
    return reference.substring(0, reference.indexOf('-'));
  }

  private static String spanId(String reference) {
    return reference.substring(reference.indexOf('-') + 1);
  }
}
