package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOutcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Holds moves against rule P11.
final class ConsolidationCheck {
  private final Shadow shadow;

  /// The places held for jobs that have not been asked to stop yet.
  private final Map<JobId, Hold> announced = new LinkedHashMap<>();

  /// The blocked job that jobs were moved for; null: none were, or it has its hold.
  private @Nullable JobId blocked;

  ConsolidationCheck(Shadow shadow) {
    this.shadow = shadow;
  }

  /// All effects of the decision were reported.
  void end() {
    require(announced.isEmpty(), "a job with a new place moves in the same decision", announced);
    require(blocked == null, "moves hold what they free in the same decision", blocked);
  }

  /// Whether the hold is that of a job that is still about to leave its former place.
  static boolean isMoving(Shadow shadow, Hold hold) {
    return shadow
        .attempt(hold.job())
        .flatMap(Attempt::stop)
        .filter(order -> order.outcome() == StopOutcome.REQUEUE)
        .isPresent();
  }

  void beforeHold(Hold hold, Reference rules) {
    Job job = shadow.jobs.get(hold.job());
    Attempt attempt = shadow.attempt(hold.job()).orElse(null);
    if (attempt != null) {
      require(hold.waitsFor().equals(List.of(attempt.id())), "a moved job waits for itself", hold);
      require(
          rules.space.isFreeNow(hold.place().workers()), "a moved job's new place is free", hold);
      announced.put(hold.job(), hold);
      return;
    }
    require(hold.job().equals(blocked), "only the blocked job holds what moves free", hold);
    Pool pool = shadow.pool(hold.place().pool()).orElseThrow();
    require(pool.consolidate(), "jobs move only where the pool consolidates", pool, job);
    require(
        rules.space.isFreeWithout(hold.place().workers(), Set.of()),
        "the blocked job's place is free when the moved jobs have left it",
        hold);
    blocked = null;
  }

  void beforeMove(Attempt attempt, StopCause.Preempted cause, Reference rules) {
    Job moved = rules.job(attempt);
    Job by = shadow.jobs.get(cause.by());
    require(
        announced.remove(moved.id()) != null,
        "a job has its new place before it is asked to stop",
        attempt);
    require(
        moved.spec().movable() && attempt.preemptible(), "only movable jobs move", attempt, moved);
    require(
        attempt.startedAt().isPresent() && !shadow.fresh.contains(attempt.id()),
        "only jobs that run move",
        attempt);
    require(
        attempt.id().number() == 1
            || !attempt.startedAt().orElseThrow().plus(Duration.ofHours(1)).isAfter(rules.now),
        "a job moves once an hour at most",
        attempt);
    require(
        !attempt
            .startedAt()
            .orElseThrow()
            .plus(shadow.policy(attempt.policy()).orElseThrow().minRuntime())
            .isAfter(rules.now),
        "no job moves before its least run time",
        attempt);
    require(
        blocked == null || blocked.equals(cause.by()), "jobs move for one job at a time", cause);
    // Its new place is held by now, and would count twice.
    Reference before = new Reference(shadow, rules.now, Set.of(attempt.id().job()));
    if (blocked == null) {
      require(before.refusal(by).isEmpty(), "jobs move only for a job that may start", by);
      require(!rules.fitsNow(by), "no job moves for a job that fits", by);
    }
    boolean within =
        before.standing(attempt.policy(), Set.of()) <= rules.reservation(attempt.policy());
    require(
        before.isEntitled(by) || !within,
        "no job moves that comes before the blocked job by O1",
        attempt,
        by);
    blocked = cause.by();
  }
}
