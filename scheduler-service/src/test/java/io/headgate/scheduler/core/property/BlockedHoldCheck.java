package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.property.Space.Without;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// O7: which job holds where and until when, and which jobs may pass it.
final class BlockedHoldCheck {
  private BlockedHoldCheck() {}

  /// The jobs that hold.
  static Set<JobId> blocked(Shadow shadow) {
    Set<JobId> blocked = new HashSet<>();
    for (Hold hold : shadow.holds.values()) {
      if (hold.isForBlocked()) {
        blocked.add(hold.job());
      }
    }
    return blocked;
  }

  /// When the attempt is expected to end by its declared run time, or else by the run times of
  /// ended attempts of its queue.
  ///
  /// @param at absent: unknown
  /// @param endless whether it will probably never end
  record Expected(Optional<Instant> at, boolean endless) {
    Instant sortable() {
      return at.orElse(Instant.MAX);
    }

    boolean isBy(Instant time) {
      return at.isPresent() && !at.get().isAfter(time);
    }
  }

  /// The end that the job may expect of the attempt.
  static Expected end(Attempt attempt, Job job, Reference rules) {
    Job running = rules.job(attempt);
    Instant from = attempt.startedAt().orElse(attempt.assignedAt());
    if (running.spec().maxRuntime().isPresent()) {
      return new Expected(running.spec().maxRuntime().map(from::plus), false);
    }
    RunTimes runs = rules.shadow.runTimes.getOrDefault(running.spec().queue(), new RunTimes());
    int ended = runs.state().values().stream().mapToInt(Integer::intValue).sum();
    Duration elapsed = Duration.between(from, rules.now);
    if (ended < 5 && elapsed.compareTo(rules.profile(job).holdAfter()) >= 0) {
      return new Expected(Optional.empty(), true);
    }
    Optional<Instant> end = runs.median(elapsed).map(from::plus);
    return new Expected(end, end.isEmpty() && ended >= 5);
  }

  /// The time at which the job fits in the pool if no other job starts there: now, at an expected
  /// end, or at an unknown time ([Instant#MAX]). Empty: never, or not before an endless job ends.
  static Optional<Instant> earliest(Pool pool, Job job, Reference rules) {
    List<Attempt> live = new ArrayList<>();
    for (Attempt attempt : rules.shadow.attempts.values()) {
      if (attempt.stop().isEmpty()
          && isOn(attempt, pool, rules.shadow)
          && !end(attempt, job, rules).endless()) {
        live.add(attempt);
      }
    }
    live.sort(Comparator.comparing(attempt -> end(attempt, job, rules).sortable()));
    Set<AttemptId> ended = new HashSet<>();
    Instant at = rules.now;
    for (Attempt next : live) {
      if (fits(pool, job, rules, ended)) {
        return Optional.of(at);
      }
      ended.add(next.id());
      Instant end = end(next, job, rules).sortable();
      at = end.isAfter(at) ? end : at;
    }
    return fits(pool, job, rules, ended) ? Optional.of(at) : Optional.empty();
  }

  /// As [#earliest], but empty as well where the time is unknown and the job pauses.
  static Optional<Instant> holdable(Pool pool, Job job, Reference rules) {
    boolean pauses = job.holdPause().filter(pause -> pause.until().isAfter(rules.now)).isPresent();
    return earliest(pool, job, rules).filter(at -> !pauses || at.isBefore(Instant.MAX));
  }

  private static boolean fits(Pool pool, Job job, Reference rules, Set<AttemptId> ended) {
    return rules.space.fits(pool, rules.profile(job), Without.stoppingAnd(Set.copyOf(ended)));
  }

  private static boolean isOn(Attempt attempt, Pool pool, Shadow shadow) {
    for (WorkerPlace place : attempt.assignment().workers()) {
      Node node = shadow.nodes.get(place.node());
      PoolId at = node == null ? attempt.assignment().pool() : node.pool();
      if (at.equals(pool.id())) {
        return true;
      }
    }
    return false;
  }

  static boolean isOldEnough(Job job, Reference rules) {
    return !job.waitingSince().plus(rules.profile(job).holdAfter()).isAfter(rules.now);
  }

  static boolean mayHold(Job job, Reference rules) {
    PolicyId policy = rules.queue(job).policy();
    return isOldEnough(job, rules)
        && rules.refusal(job).isEmpty()
        && rules.charged(policy) + rules.need(job) <= rules.limit(policy);
  }

  /// Where the job would hold: where it starts first, of the pools in which none holds.
  static Optional<Pool> placeFor(Job job, Reference rules) {
    Pool best = null;
    Instant first = Instant.MAX;
    for (Pool pool : mayHold(job, rules) ? rules.routes(job) : List.<Pool>of()) {
      Optional<Instant> start =
          holdIn(pool.id(), rules).isEmpty() ? earliest(pool, job, rules) : Optional.empty();
      if (start.isPresent() && (best == null || start.get().isBefore(first))) {
        best = pool;
        first = start.get();
      }
    }
    return Optional.ofNullable(best);
  }

  static Optional<Hold> holdIn(PoolId pool, Reference rules) {
    return rules.holds().stream()
        .filter(hold -> hold.isForBlocked() && hold.place().pool().equals(pool))
        .findAny();
  }

  static void beforeHold(Hold hold, Reference rules) {
    Job job = rules.shadow.jobs.get(hold.job());
    PoolId own = hold.place().pool();
    require(mayHold(job, rules), "only old enough jobs that may start hold (O7)", hold, job);
    require(!rules.fitsNow(job), "what fits now does not hold (O7)", hold);
    require(holdIn(own, rules).isEmpty(), "one blocked job holds in a pool (O7)", hold);
    Instant start = hold.expectedStart().orElse(Instant.MAX);
    Optional<Instant> until =
        hold.expectedStart().isPresent()
            ? Optional.empty()
            : Optional.of(rules.now.plus(rules.profile(job).holdAfter()));
    require(
        hold.until().equals(until),
        "a hold of unknown expected start lasts for holdAfter (O7)",
        hold,
        until);
    require(
        hold.expectedStart().isPresent() || holdable(pool(hold, rules), job, rules).isPresent(),
        "a job that pauses holds only if it knows its expected start (O7)",
        hold,
        job);
    for (Pool pool : rules.routes(job)) {
      if (holdIn(pool.id(), rules).isPresent()) {
        continue;
      }
      Optional<Instant> earliest = earliest(pool, job, rules);
      if (pool.id().equals(own)) {
        require(
            earliest.isPresent() && earliest.get().equals(start),
            "a hold says when its job will start (O7)",
            hold,
            earliest);
      }
      require(
          earliest.isEmpty() || !earliest.get().isBefore(start),
          "a blocked job holds where it will start first (O7)",
          hold,
          pool,
          earliest);
    }
    require(
        rules.space.isFreeWithout(hold.place().workers(), Set.copyOf(hold.waitsFor())),
        "a held place is free when those it waits for have ended (O7)",
        hold);
  }

  /// No job that comes before the hold's would hold in the pool.
  static void requireFirst(Hold hold, Reference rules) {
    Job job = rules.shadow.jobs.get(hold.job());
    PoolId own = hold.place().pool();
    Pool held = rules.shadow.pool(own).orElseThrow();
    for (Job other : rules.firsts()) {
      boolean better =
          rules.routes(other).stream()
                  .allMatch(pool -> rules.turns.isBefore(other, pool, job, held))
              && mayHold(other, rules)
              && !rules.fitsNow(other)
              && !rules.letsOthersGoFirst(other);
      require(
          !better
              || rules.routes(other).stream()
                  .filter(pool -> pool.id().equals(own))
                  .noneMatch(pool -> holdable(pool, other, rules).isPresent()),
          "the best-ranked blocked job holds (O7)",
          hold,
          other);
    }
  }

  private static Pool pool(Hold hold, Reference rules) {
    return rules.shadow.pool(hold.place().pool()).orElseThrow();
  }

  /// Whether the job, with the time that its stop takes, ends before the holder of its place is
  /// expected to start.
  static boolean mayPass(Attempt attempt, Job job, Reference rules) {
    if (job.spec().maxRuntime().isEmpty()) {
      return false;
    }
    return rules.holds().stream()
        .filter(hold -> attempt.assignment().pool().equals(hold.place().pool()))
        .anyMatch(hold -> mayPass(hold, job, rules));
  }

  /// Whether the job ends before the hold's job is expected to start, and fits without the hold: on
  /// its nodes, or with its share under the pool's ceiling.
  static boolean mayPass(Hold hold, Job job, Reference rules) {
    Instant end = rules.now.plus(job.spec().longest().orElseThrow());
    if (!hold.isForBlocked()
        || hold.expectedStart().or(hold::until).map(end::isAfter).orElse(true)) {
      return false;
    }
    Pool pool = pool(hold, rules);
    return rules.routes(job).contains(pool)
        && new Reference(rules.shadow, rules.now, Set.of(hold.job())).fits(pool, job);
  }

  /// Checks a hold at a time when the core has nothing more to decide.
  ///
  /// @param rules as they were at its job's turn
  static void checkRest(Hold hold, Reference rules) {
    Job job = rules.shadow.jobs.get(hold.job());
    require(mayHold(job, rules), "only old enough jobs that may start hold (O7)", hold, job);
    require(!rules.fitsNow(job), "a job that fits now does not hold (O7)", hold);
    require(holdIn(hold.place().pool(), rules).isEmpty(), "one blocked job holds in a pool (O7)");
    Set<AttemptId> ended = new HashSet<>(hold.waitsFor());
    Instant passedBy = hold.passableUntil().orElse(Instant.MIN);
    for (Attempt attempt : rules.shadow.attempts.values()) {
      Expected end = end(attempt, job, rules);
      require(
          attempt.stop().isPresent() || !end.endless() || !hold.waitsFor().contains(attempt.id()),
          "no hold waits for an endless job (O7)",
          hold,
          attempt);
      if (end.isBy(passedBy)) {
        ended.add(attempt.id());
      }
    }
    require(
        hold.until().map(until -> until.isAfter(rules.now)).orElse(true),
        "a hold of unknown expected start expires (O7)",
        hold);
    require(
        rules.space.isFreeWithout(hold.place().workers(), ended),
        "a held place is free when its job is expected to start (O7)",
        hold,
        rules.shadow.attempts.values());
  }
}
