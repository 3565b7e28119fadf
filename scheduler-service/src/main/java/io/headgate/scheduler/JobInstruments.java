package io.headgate.scheduler;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.text.DecisionText;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Measures what happened to jobs, from durable batches. Confined to the thread that commits, but
/// for [#expect].
///
/// Histograms get the trace of the job as an exemplar.
final class JobInstruments {
  /// Queues of a tenant that are named; the others are one.
  static final int NAMED_QUEUES = 200;

  static final String OTHER_QUEUES = "(others)";

  /// Queues of a tenant, and of all tenants, whose ended jobs are 0 before one ended. The library
  /// keeps 2,000 series, and most are for queues where jobs end.
  static final int EXPECTED_QUEUES = 20;

  static final int MOST_EXPECTED = 200;

  private static final List<String> EFFECTS = List.of("start", "preempt", "hold", "release");

  /// The name of the best standing (O1).
  private static final String ENTITLED = "ENTITLED";

  /// Bounds the memory for expected starts that were told.
  private static final int MOST_PROMISES = 10_000;

  private static final double NANOS = 1e9;

  private final DoubleHistogram wait;
  private final DoubleHistogram run;
  private final DoubleHistogram etaError;
  private final DoubleHistogram stop;
  private final LongCounter decisions;
  private final LongCounter preemptions;
  private final LongCounter finished;
  private final Map<String, Set<String>> queues = new HashMap<>();
  private final Map<String, Set<Attributes>> expected = new HashMap<>();
  private int expectedQueues;
  private final Map<JobId, Promise> promises = new HashMap<>();

  /// The first expected start of a job that was shown.
  ///
  /// @param basis a hold of capacity, or of headroom
  private record Promise(Instant start, String basis) {}

  JobInstruments(Meter meter) {
    this.wait = MetricNames.WAIT_DURATION.histogram(meter);
    this.run = MetricNames.RUN_DURATION.histogram(meter);
    this.etaError = MetricNames.ETA_ERROR.histogram(meter);
    this.stop = MetricNames.STOP_DURATION.histogram(meter);
    this.decisions = MetricNames.DECISIONS.counter(meter);
    this.preemptions = MetricNames.PREEMPTIONS.counter(meter);
    this.finished = MetricNames.FINISHED.counter(meter);
    EFFECTS.forEach(effect -> decisions.add(0, Attributes.of(MetricNames.EFFECT, effect)));
  }

  /// Lets the ended jobs of these queues exist, at 0. Called by one thread.
  ///
  /// @param all with tenant, queue, policy and profile
  void expect(List<Attributes> all) {
    for (Attributes queue : all) {
      String tenant = Objects.requireNonNull(queue.get(MetricNames.TENANT));
      String name = Objects.requireNonNull(queue.get(MetricNames.QUEUE));
      Set<Attributes> own = expected.computeIfAbsent(tenant, _ -> new HashSet<>());
      boolean isFew = own.size() < EXPECTED_QUEUES && expectedQueues < MOST_EXPECTED;
      if (isFew && queue(tenant, name).equals(name) && own.add(queue)) {
        expectedQueues++;
        for (JobState state : JobState.values()) {
          if (state.isTerminal()) {
            finished.add(0, queue.toBuilder().put(MetricNames.OUTCOME, word(state.name())).build());
          }
        }
      }
    }
  }

  void durable(Batch batch) {
    decided("hold", batch.holds().size());
    decided("release", batch.releasedHolds().size());
    batch.holds().forEach(this::promised);
    batch.jobs().forEach(job -> job.job().headroom().ifPresent(hold -> promised(job, hold)));
    if (!batch.events().isEmpty()) {
      Facts facts = Facts.of(batch);
      batch.events().forEach(event -> happened(event, facts));
    }
    batch.releasedHolds().forEach(promises::remove);
  }

  /// A leader begins: what an earlier one promised is not known here.
  void begin() {
    promises.clear();
  }

  private void decided(String effect, int count) {
    if (count > 0) {
      decisions.add(count, Attributes.of(MetricNames.EFFECT, effect));
    }
  }

  private void promised(Hold hold) {
    hold.expectedStart().ifPresent(start -> promised(hold.job(), new Promise(start, "hold")));
  }

  private void promised(JobRecord job, HeadroomHold hold) {
    hold.expectedStart().ifPresent(start -> promised(job.id(), new Promise(start, "headroom")));
  }

  private void promised(JobId job, Promise promise) {
    if (promises.size() < MOST_PROMISES) {
      promises.putIfAbsent(job, promise);
    }
  }

  /// The rows of a batch, by job and by attempt.
  private record Facts(Map<JobId, JobRecord> jobs, Map<AttemptId, AttemptRecord> attempts) {
    static Facts of(Batch batch) {
      return new Facts(
          Stream.concat(batch.newJobs().stream().map(Batch.NewJob::job), batch.jobs().stream())
              .collect(Collectors.toMap(JobRecord::id, job -> job, (_, later) -> later)),
          batch.attempts().stream()
              .collect(Collectors.toMap(AttemptRecord::id, one -> one, (_, later) -> later)));
    }

    Optional<JobRecord> job(EventRecord event) {
      return event.jobId().map(jobs::get);
    }

    Optional<AttemptRecord> attempt(EventRecord event) {
      // A job may end before its first attempt.
      return event
          .jobId()
          .filter(_ -> event.attempt() > 0)
          .map(job -> attempts.get(new AttemptId(job, event.attempt())));
    }
  }

  private void happened(EventRecord event, Facts facts) {
    switch (event.type()) {
      case ASSIGNED -> facts.job(event).ifPresent(job -> started(event, job));
      case PREEMPTED -> preempted(event);
      case STOP_PHASE ->
          facts
              .attempt(event)
              .flatMap(attempt -> attempt.attempt().stop())
              .filter(order -> order.cause() instanceof StopCause.Preempted)
              .ifPresent(_ -> stopped(event));
      case REQUEUED ->
          facts
              .job(event)
              .ifPresent(
                  job -> facts.attempt(event).ifPresent(attempt -> ran(event, job, attempt)));
      case FINISHED ->
          facts
              .job(event)
              .ifPresent(job -> {
                facts.attempt(event).ifPresent(attempt -> ran(event, job, attempt));
                finished(event, job);
              });
      default -> {
        // It has no metric.
      }
    }
  }

  private void started(EventRecord event, JobRecord job) {
    decided("start", 1);
    Context trace = TraceContexts.of(job);
    wait.record(seconds(job.job().waitingSince(), event.time()), entitled(event, job), trace);
    Promise promise = promises.remove(job.id());
    if (promise != null) {
      boolean late = event.time().isAfter(promise.start());
      double error = Math.abs(difference(promise.start(), event.time()));
      etaError.record(
          error,
          Attributes.builder()
              .put(MetricNames.TENANT, job.tenant().name())
              .put(MetricNames.QUEUE, queue(job))
              .put(MetricNames.BASIS, promise.basis())
              .put(MetricNames.DIRECTION, late ? "late" : "early")
              .build(),
          trace);
    }
  }

  private void ran(EventRecord event, JobRecord job, AttemptRecord attempt) {
    Optional<Instant> started = attempt.attempt().startedAt();
    if (started.isPresent() && attempt.ending().isPresent()) {
      run.record(
          seconds(started.get(), attempt.ending().get().at()),
          entitled(event, job),
          TraceContexts.of(job));
    }
  }

  private void finished(EventRecord event, JobRecord job) {
    promises.remove(job.id());
    finished.add(
        1,
        of(job).put(MetricNames.OUTCOME, word(event.detail().getOrDefault("state", ""))).build());
  }

  private void preempted(EventRecord event) {
    decided("preempt", 1);
    preemptions.add(
        1,
        Attributes.of(
            MetricNames.TENANT,
            event.tenant().name(),
            MetricNames.RULE,
            event.rule(),
            MetricNames.POLICY,
            event.policy(),
            MetricNames.BY_POLICY,
            event.detail().getOrDefault(DecisionText.WINNER, "")));
  }

  private void stopped(EventRecord event) {
    String millis = event.detail().getOrDefault("durationMs", "");
    if (!millis.isEmpty()) {
      stop.record(
          Long.parseLong(millis) / 1e3,
          Attributes.of(
              MetricNames.TENANT,
              event.tenant().name(),
              MetricNames.PHASE,
              word(event.detail().getOrDefault("phase", "")),
              MetricNames.OUTCOME,
              word(event.detail().getOrDefault("result", ""))));
    }
  }

  private Attributes entitled(EventRecord event, JobRecord job) {
    String standing = event.detail().getOrDefault("standing", "");
    return of(job).put(MetricNames.ENTITLED, standing.equals(ENTITLED)).build();
  }

  private AttributesBuilder of(JobRecord job) {
    return Attributes.builder()
        .put(MetricNames.TENANT, job.tenant().name())
        .put(MetricNames.QUEUE, queue(job))
        .put(MetricNames.POLICY, job.metadata().policy())
        .put(MetricNames.PROFILE, job.metadata().profile());
  }

  /// The library keeps the first 2,000 series of an instrument. So one tenant with thousands of
  /// queues must not push out the queues of others.
  private String queue(JobRecord job) {
    return queue(job.tenant().name(), job.job().spec().queue().name());
  }

  private synchronized String queue(String tenant, String name) {
    Set<String> named = queues.computeIfAbsent(tenant, _ -> new HashSet<>());
    if (named.contains(name)) {
      return name;
    }
    if (named.size() >= NAMED_QUEUES) {
      return OTHER_QUEUES;
    }
    named.add(name);
    return name;
  }

  private static String word(String constant) {
    return constant.toLowerCase(Locale.ROOT);
  }

  private static double seconds(Instant from, Instant until) {
    return Math.max(0, difference(from, until));
  }

  private static double difference(Instant from, Instant until) {
    return Duration.between(from, until).toNanos() / NANOS;
  }
}
