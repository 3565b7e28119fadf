package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.runtime.desk.WaitBook.Suspension;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.record.Phase.Kind;
import io.headgate.scheduler.runtime.trace.JobTrace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Says which phases of jobs' lives end with the events of a turn. All that a phase needs is
/// durable before it ends, so the next leader tells equal phases. Confined to the loop.
public final class PhaseBook {
  /// Nodes that a phase of a gang names.
  private static final int NAMED_NODES = 8;

  private final long epoch;
  private final JobRegistry jobs;
  private final WaitBook waits;
  private Instant decidedAt = Instant.MIN;

  /// All starts and preemptions of one turn name the same decision. An epoch counts its batches, so
  /// no two decisions have one name.
  private String decision = "";

  /// Jobs that waited before the turn and do not any more.
  private final Set<JobId> waited = new HashSet<>();

  /// Jobs whose attempt ended in the turn, so that they wait again. They may yet be cancelled in
  /// it.
  private final Set<JobId> returned = new HashSet<>();

  /// @param epoch of the leader
  PhaseBook(long epoch, JobRegistry jobs, WaitBook waits) {
    this.epoch = epoch;
    this.jobs = jobs;
    this.waits = waits;
  }

  /// Remembers the reasons that the decision changed.
  ///
  /// @param end of the decision
  public void decided(LoopTurn turn, Decision decision, Instant end) {
    decidedAt = end;
    for (Effect effect : decision.effects()) {
      switch (effect) {
        case Effect.LaneReasonChanged(var lane, var reason) -> waits.waits(lane, reason, turn.now);
        case Effect.JobReasonChanged(JobId job, var reason) ->
            jobs.job(job).ifPresent(known -> waits.waits(known, reason, turn.now));
        case Effect.JobChanged(Job job, var from, var _) -> {
          if (from.filter(state -> state == JobState.WAITING).isPresent()) {
            waited.add(job.id());
          }
        }
        case Effect.HoldReleased(JobId job, var _) ->
            jobs.job(job).ifPresent(known -> waits.waitsWithItsLane(known, turn.now));
        default -> {
          // No reason to wait changed.
        }
      }
    }
  }

  /// Adds their phases to the turn's events, before it is made durable.
  ///
  /// @param batch that will make it so
  public void annotate(LoopTurn turn, long batch) {
    decision = epoch + "-" + batch;
    for (int i = 0; i < turn.events.size(); i++) {
      EventRecord event = turn.events.get(i);
      Optional<JobRecord> job =
          event
              .jobId()
              .flatMap(id -> Optional.ofNullable(turn.jobs.get(id)).or(() -> jobs.job(id)));
      if (job.isPresent()) {
        List<Phase> phases = phases(turn, event, job.get());
        if (!phases.isEmpty()) {
          turn.events.set(i, event.with(phases));
        }
      }
    }
    turn.waits.addAll(waits.takeChanged());
    waited.clear();
    returned.clear();
  }

  private List<Phase> phases(LoopTurn turn, EventRecord event, JobRecord job) {
    Optional<AttemptId> id =
        event.attempt() == 0
            ? Optional.empty()
            : Optional.of(new AttemptId(job.id(), event.attempt()));
    // As it is after the turn; it may have ended in it.
    Optional<AttemptRecord> known =
        id.flatMap(
            each -> Optional.ofNullable(turn.attempts.get(each)).or(() -> jobs.attempt(each)));
    Optional<AttemptRecord> over = known.filter(attempt -> attempt.ending().isPresent());
    return switch (event.type()) {
      case SUBMITTED -> List.of(new Phase(Kind.SUBMIT, 0, turn.now, Optional.empty(), Map.of()));
      case ASSIGNED -> started(turn, event, job, known);
      case STARTED ->
          known.filter(attempt -> isFirstStart(attempt)).map(PhaseBook::attempt).stream().toList();
      case PREEMPTED -> known.stream().flatMap(attempt -> victim(job, attempt).stream()).toList();
      case STOP_PHASE -> known.map(attempt -> step(turn, event, attempt)).stream().toList();
      case SUSPENDED -> known.map(attempt -> suspended(turn, job, attempt)).orElse(List.of());
      case RESUMED -> known.map(attempt -> resumed(turn, job, attempt)).orElse(List.of());
      case REQUEUED -> requeued(turn, over, job);
      case FINISHED -> finished(turn, event, over, job);
      case QUEUED -> job.state() == JobState.DRAFT ? waited(turn, job) : List.of();
      case STOPPING,
          REASON_CHANGED,
          NODE_CONNECTED,
          NODE_CLOSING,
          NODE_SUSPECT,
          NODE_SET_ASIDE,
          NODE_LOST,
          DEVICE_CHANGED,
          BUDGET,
          UPDATED ->
          List.of();
    };
  }

  private List<Phase> waited(LoopTurn turn, JobRecord job) {
    if (!waited.contains(job.id())) {
      // A draft that is cancelled.
      return List.of();
    }
    List<Phase> periods = waits.periods(job, turn.now);
    waits.left(job, turn.now);
    return periods;
  }

  private List<Phase> started(
      LoopTurn turn, EventRecord event, JobRecord job, Optional<AttemptRecord> attempt) {
    List<Phase> phases = new ArrayList<>(waited(turn, job));
    Map<String, String> details = new LinkedHashMap<>(place(attempt));
    details.put("gpus", event.detail().getOrDefault("gpus", ""));
    details.put("decision", decision);
    Instant end = decidedAt.isBefore(turn.now) ? turn.now : decidedAt;
    phases.add(new Phase(Kind.DECIDE, 0, turn.now, Optional.of(end), details));
    phases.add(new Phase(Kind.COMMIT, 0, end, Optional.empty(), Map.of()));
    return phases;
  }

  /// The start of an attempt that was suspended meanwhile is told again.
  private boolean isFirstStart(AttemptRecord attempt) {
    return waits.suspension(attempt.id().job()).isEmpty();
  }

  private static Phase attempt(AttemptRecord attempt) {
    return new Phase(
        Kind.ATTEMPT,
        0,
        attempt.attempt().assignedAt(),
        attempt.attempt().startedAt(),
        place(Optional.of(attempt)));
  }

  /// In the trace of the job that gets the slices. Names of another tenant are not told.
  private List<Phase> victim(JobRecord job, AttemptRecord attempt) {
    return winner(attempt)
        .map(winner -> {
          JobTrace trace = JobTrace.of(winner);
          Map<String, String> details = new LinkedHashMap<>();
          details.put("of", trace.traceId() + "-" + trace.rootId());
          details.put("job", winner.name().id());
          details.put("tenant", winner.tenant().name());
          details.put("queue", winner.job().spec().queue().name());
          details.put("policy", winner.metadata().policy());
          details.put("profile", winner.metadata().profile());
          details.put("rule", rule(attempt));
          details.put("decision", decision);
          details.put("pool", attempt.attempt().assignment().pool().name());
          details.put("link.victim", link(job, attempt));
          if (winner.tenant().equals(job.tenant())) {
            details.put("victim", job.name().id());
          }
          StopOrder order = attempt.attempt().stop().orElseThrow();
          Instant end = decidedAt.isBefore(order.at()) ? order.at() : decidedAt;
          return List.of(
              new Phase(Kind.VICTIM, suspensions(job), order.at(), Optional.of(end), details));
        })
        .orElse(List.of());
  }

  private String link(JobRecord job, AttemptRecord attempt) {
    JobTrace trace = JobTrace.of(job);
    return trace.traceId()
        + "-"
        + trace.spanId(attempt.id().number(), Kind.PREEMPT, suspensions(job));
  }

  private Phase step(LoopTurn turn, EventRecord event, AttemptRecord attempt) {
    String took = event.detail().getOrDefault("durationMs", "");
    Instant begin =
        turn.now.minus(took.isEmpty() ? Duration.ZERO : Duration.ofMillis(Long.parseLong(took)));
    Map<String, String> details = new LinkedHashMap<>();
    details.put("phase", event.detail().getOrDefault("phase", ""));
    details.put("outcome", event.detail().getOrDefault("result", ""));
    int suspensions = waits.suspension(attempt.id().job()).map(Suspension::count).orElse(0);
    attempt
        .attempt()
        .stop()
        .ifPresent(order -> details.put("under", stopKind(order).name() + "-" + suspensions));
    return new Phase(Kind.STEP, 0, begin, Optional.of(turn.now), details);
  }

  private List<Phase> suspended(LoopTurn turn, JobRecord job, AttemptRecord attempt) {
    List<Phase> phases = new ArrayList<>();
    phases.add(ran(job, attempt, turn.now, Map.of("outcome", "SUSPENDED")));
    attempt.attempt().stop().ifPresent(order -> phases.add(stop(job, attempt, order, turn.now)));
    waits.suspended(job, turn.now);
    return phases;
  }

  private List<Phase> resumed(LoopTurn turn, JobRecord job, AttemptRecord attempt) {
    List<Phase> phases =
        waits.suspension(job.id()).map(suspension -> idle(attempt, suspension, turn.now)).stream()
            .toList();
    waits.resumed(job, turn.now);
    return phases;
  }

  private static Phase idle(AttemptRecord attempt, Suspension suspension, Instant end) {
    Map<String, String> details = new LinkedHashMap<>(place(Optional.of(attempt)));
    details.put("reason", "SUSPENDED");
    return new Phase(Kind.WAIT, 0, suspension.since(), Optional.of(end), details);
  }

  /// @param over the attempt that ends with the job; empty: it waited
  private List<Phase> finished(
      LoopTurn turn, EventRecord event, Optional<AttemptRecord> over, JobRecord job) {
    List<Phase> phases =
        new ArrayList<>(
            over.filter(_ -> !returned.contains(job.id()))
                .map(attempt -> ended(turn, attempt, job))
                .orElseGet(() -> waited(turn, job)));
    Map<String, String> details = new LinkedHashMap<>();
    details.put("outcome", event.detail().getOrDefault("state", ""));
    String exitCode = event.detail().getOrDefault("exitCode", "");
    if (!exitCode.isEmpty()) {
      details.put("exit_code", exitCode);
    }
    phases.add(new Phase(Kind.END, 0, turn.now, Optional.empty(), details));
    return phases;
  }

  private List<Phase> requeued(LoopTurn turn, Optional<AttemptRecord> over, JobRecord job) {
    List<Phase> phases = over.map(attempt -> ended(turn, attempt, job)).orElse(List.of());
    boolean ran = over.flatMap(attempt -> attempt.attempt().startedAt()).isPresent();
    waits.returned(job, ran, turn.now);
    returned.add(job.id());
    return phases;
  }

  /// The phases of an attempt that ends in this turn.
  private List<Phase> ended(LoopTurn turn, AttemptRecord attempt, JobRecord job) {
    Map<String, String> outcome =
        Map.of("outcome", attempt.ending().orElseThrow().outcome().name());
    Optional<Suspension> suspension = waits.suspension(job.id());
    List<Phase> phases = new ArrayList<>();
    phases.add(
        suspension
            .filter(Suspension::isSuspended)
            .map(since -> idle(attempt, since, turn.now))
            .orElseGet(() -> ran(job, attempt, turn.now, outcome)));
    attempt
        .attempt()
        .stop()
        .filter(order ->
            suspension
                .filter(each -> each.isSuspended() && !order.at().isAfter(each.since()))
                .isEmpty())
        .ifPresent(order -> phases.add(stop(job, attempt, order, turn.now)));
    waits.forget(job);
    return phases;
  }

  /// The run of the program, or the start if it came no further.
  private Phase ran(JobRecord job, AttemptRecord attempt, Instant end, Map<String, String> more) {
    Optional<Suspension> suspension = waits.suspension(job.id());
    Instant assigned = attempt.attempt().assignedAt();
    Map<String, String> details = both(place(Optional.of(attempt)), more);
    if (attempt.attempt().startedAt().isEmpty() && suspension.isEmpty()) {
      return new Phase(Kind.ATTEMPT, 0, assigned, Optional.of(end), details);
    }
    return new Phase(
        Kind.RUN,
        suspension.map(Suspension::count).orElse(0),
        suspension.map(Suspension::since).or(() -> attempt.attempt().startedAt()).orElse(assigned),
        Optional.of(end),
        details);
  }

  private Phase stop(JobRecord job, AttemptRecord attempt, StopOrder order, Instant end) {
    Map<String, String> details = new LinkedHashMap<>(place(Optional.of(attempt)));
    details.put("cause", cause(order));
    details.put("outcome", order.outcome().name());
    if (stopKind(order) == Kind.PREEMPT) {
      details.put("rule", rule(attempt));
      winner(attempt)
          .map(JobTrace::of)
          .ifPresent(
              trace -> details.put("link.preemptor", trace.traceId() + "-" + trace.rootId()));
      winner(attempt)
          .filter(winner -> winner.tenant().equals(job.tenant()))
          .ifPresent(winner -> details.put("by", winner.name().id()));
    }
    return new Phase(stopKind(order), suspensions(job), order.at(), Optional.of(end), details);
  }

  private int suspensions(JobRecord job) {
    return waits.suspension(job.id()).map(Suspension::count).orElse(0);
  }

  private static Kind stopKind(StopOrder order) {
    return order.cause() instanceof StopCause.Preempted ? Kind.PREEMPT : Kind.STOP;
  }

  private static String cause(StopOrder order) {
    return switch (order.cause()) {
      case StopCause.Preempted _ -> "PREEMPTED";
      case StopCause.Cancelled _ -> "CANCELLED";
      case StopCause.Requeued _ -> "REQUEUED";
      case StopCause.SuspensionOver _ -> "SUSPENSION_OVER";
      case StopCause.WorkerEnded _ -> "WORKER_ENDED";
    };
  }

  private Optional<JobRecord> winner(AttemptRecord attempt) {
    return attempt
        .attempt()
        .stop()
        .filter(order -> order.cause() instanceof StopCause.Preempted)
        .flatMap(order -> jobs.job(((StopCause.Preempted) order.cause()).by()));
  }

  private static String rule(AttemptRecord attempt) {
    return attempt
        .attempt()
        .stop()
        .map(StopOrder::cause)
        .map(cause -> cause instanceof StopCause.Preempted by ? by.rule().name() : "")
        .orElse("");
  }

  private static Map<String, String> place(Optional<AttemptRecord> attempt) {
    if (attempt.isEmpty()) {
      return Map.of();
    }
    Attempt decided = attempt.get().attempt();
    String nodes =
        decided.assignment().workers().stream()
            .map(WorkerPlace::node)
            .distinct()
            .limit(NAMED_NODES)
            .map(node -> node.name())
            .collect(Collectors.joining(","));
    return Map.of("pool", decided.assignment().pool().name(), "node", nodes);
  }

  private static Map<String, String> both(Map<String, String> one, Map<String, String> other) {
    Map<String, String> both = new LinkedHashMap<>(one);
    both.putAll(other);
    return both;
  }
}
