package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.trace.Sampling;
import io.headgate.scheduler.runtime.trace.TraceLog.EndedPhases;
import io.headgate.scheduler.runtime.trace.TraceLog.JobFacts;
import io.headgate.scheduler.runtime.trace.WriterRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Checks the traces of jobs once all have ended, whatever happened to the schedulers meanwhile.
///
/// - The waits, starts and runs of a job follow each other without a gap and without an overlap,
///   from its submission to its end.
/// - Writers of spans that are killed leave the same spans as one that is not.
final class TraceAudit {
  private static final Set<Phase.Kind> TILES =
      Set.of(Phase.Kind.WAIT, Phase.Kind.ATTEMPT, Phase.Kind.RUN);

  /// Events with which a wait, a start or a run may end.
  private static final Set<EventType> ENDS =
      EnumSet.of(
          EventType.ASSIGNED,
          EventType.STARTED,
          EventType.SUSPENDED,
          EventType.RESUMED,
          EventType.REQUEUED,
          EventType.QUEUED,
          EventType.FINISHED);

  private static final int KILLS = 3;

  private final InMemoryStore store;
  private int spans;
  private int kills;

  TraceAudit(InMemoryStore store) {
    this.store = store;
  }

  void atRest(RandomGenerator random) {
    Map<JobId, List<EventRecord>> byJob = new LinkedHashMap<>();
    List<EndedPhases> ended = new ArrayList<>();
    for (EventRecord event : store.everyEvent()) {
      event
          .jobId()
          .ifPresent(job -> {
            byJob.computeIfAbsent(job, _ -> new ArrayList<>()).add(event);
            if (!event.phases().isEmpty()) {
              ended.add(ended(event, store.job(job)));
            }
          });
    }
    byJob.values().forEach(TraceAudit::tiles);
    List<FinishedSpan> expected = new WriterRun(ended, Sampling.ALL).undisturbed();
    WriterRun disturbed = new WriterRun(ended, Sampling.ALL);
    List<FinishedSpan> written = disturbed.withKills(random, KILLS);
    if (!written.equals(expected)) {
      throw new AssertionError("spans after kills differ: " + written + " not " + expected);
    }
    spans = written.size();
    kills = disturbed.kills();
  }

  private static EndedPhases ended(EventRecord event, JobRecord job) {
    return new EndedPhases(
        event.version(),
        event.time(),
        event.attempt(),
        new JobFacts(
            event.tenant(),
            event.job(),
            job.uid(),
            event.queue(),
            event.policy(),
            job.metadata().profile(),
            job.metadata().traceparent()),
        event.phases());
  }

  private static void tiles(List<EventRecord> events) {
    @Nullable Instant at = null;
    boolean isDraft = false;
    for (EventRecord event : events) {
      // A new leader's clock begins at the database's time. The clock of its
      // predecessor may have run fast, so that older events lie ahead. Such a phase has no length.
      boolean wentBack = at != null && ENDS.contains(event.type()) && event.time().isBefore(at);
      for (Phase phase : event.phases()) {
        if (TILES.contains(phase.kind())) {
          if (!wentBack && !phase.begin().equals(at)) {
            throw new AssertionError(
                "%s: a %s begins at %s, and not at %s, in %s"
                    .formatted(event.job(), phase, phase.begin(), at, events));
          }
          at = phase.end().orElseThrow();
        }
      }
      at = wentBack ? event.time() : at;
      boolean ends =
          (event.type() == EventType.FINISHED && !isDraft)
              || (event.type() == EventType.QUEUED && at != null);
      if (ends && !Objects.equals(at, event.time())) {
        throw new AssertionError(
            "%s: its phases end at %s, and not at %s, in %s"
                .formatted(event.job(), at, event.time(), events));
      }
      if (ends) {
        at = null;
        isDraft = event.type() == EventType.QUEUED;
      } else if (event.type() == EventType.QUEUED || event.type() == EventType.SUBMITTED) {
        isDraft = event.message().endsWith(" as a draft");
        at = isDraft ? null : event.time();
      }
    }
  }

  int spans() {
    return spans;
  }

  int kills() {
    return kills;
  }
}
