package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.property.HeadroomRules.Limit;
import io.headgate.scheduler.core.property.HeadroomRules.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// O7: which jobs hold headroom at a time when the core has nothing more to decide.
final class HeadroomCheck {
  private static final Set<String> LIMITS =
      Set.of(
          "LIMIT", "USER_LIMIT", "DEPARTMENT_LIMIT", "OVER_RESERVATION_DENIED", "NON_PREEMPTIBLE");

  private final Reference rules;
  private final HeadroomRules headroom;

  HeadroomCheck(Reference rules) {
    this.rules = rules;
    this.headroom = new HeadroomRules(rules);
  }

  /// Whether a hold without expected start has come to its end.
  static boolean isExpired(Job job, Instant now) {
    return job.headroom()
        .flatMap(HeadroomHold::until)
        .filter(until -> !until.isAfter(now))
        .isPresent();
  }

  /// Checks the terms of a hold when they change.
  static void beforeChange(Job job, Optional<HeadroomHold> changed, Supplier<Reference> rules) {
    Optional<Instant> until = changed.flatMap(HeadroomHold::until);
    require(
        until.isEmpty()
            || until.equals(job.headroom().flatMap(HeadroomHold::until))
            || until.get().equals(rules.get().now.plus(rules.get().profile(job).holdAfter())),
        "a headroom hold of unknown expected start lasts for holdAfter (O7)",
        job,
        changed);
  }

  void check() {
    Map<JobId, List<Limit>> due = holders();
    for (Job job : rules.shadow.jobs.values()) {
      require(
          job.headroom().isEmpty() || job.state() == JobState.WAITING,
          "only a job that waits holds headroom (O7)",
          job);
      List<Limit> limits = due.get(job.id());
      require(
          (limits != null) == job.headroom().isPresent(),
          "the first job that a limit has blocked for long enough holds headroom (O7)",
          job,
          limits,
          due);
      if (limits != null) {
        checkTerms(job, job.headroom().get(), limits);
      }
    }
  }

  private void checkTerms(Job job, HeadroomHold hold, List<Limit> limits) {
    require(
        new HashSet<>(hold.scopes()).equals(HeadroomRules.scopes(limits)),
        "headroom is held in the limits that block the job (O7)",
        job,
        limits);
    Optional<Instant> start = start(limits).orElseThrow();
    if (start.isPresent()) {
      require(
          start.get().isAfter(rules.now)
              ? hold.expectedStart().equals(start)
              : hold.expectedStart().filter(at -> !at.isAfter(rules.now)).isPresent(),
          "a headroom hold says when its job is expected to start (O7)",
          job,
          start);
      require(job.holdPause().isEmpty(), "a known start ends a pause (O7)", job);
    } else {
      require(
          hold.until().filter(until -> until.isAfter(rules.now)).isPresent(),
          "a headroom hold of unknown expected start expires (O7)",
          job);
    }
  }

  /// The jobs that hold, with the limits in which they do.
  private Map<JobId, List<Limit>> holders() {
    Map<JobId, List<Limit>> holders = new LinkedHashMap<>();
    List<Limit> taken = new ArrayList<>();
    for (Job job : inOrder()) {
      List<Limit> limits = headroom.limits(job);
      if (holdsCapacity(job)) {
        limits.removeIf(limit -> !job.headroom().orElseThrow().scopes().contains(limit.scope()));
      } else {
        limits.removeIf(limit -> !headroom.blocks(limit));
      }
      if (!limits.isEmpty()
          && limits.stream().noneMatch(limit -> taken.stream().anyMatch(limit::isSame))
          && mayHold(job, limits)) {
        holders.put(job.id(), limits);
        taken.addAll(limits);
      }
    }
    return holders;
  }

  private boolean holdsCapacity(Job job) {
    Hold hold = rules.shadow.holds.get(job.id());
    return hold != null && hold.isForBlocked() && job.headroom().isPresent();
  }

  /// The first jobs of lanes that a limit has blocked for long enough, and those that hold both.
  private List<Job> inOrder() {
    Map<PolicyId, List<Job>> byPolicy = new LinkedHashMap<>();
    for (Job job : candidates()) {
      byPolicy.computeIfAbsent(rules.queue(job).policy(), key -> new ArrayList<>()).add(job);
    }
    byPolicy.values().forEach(line -> line.sort(headroom::compareWithin));
    List<Job> ordered = new ArrayList<>();
    while (!byPolicy.isEmpty()) {
      PolicyId first =
          byPolicy.keySet().stream()
              .min((one, other) ->
                  headroom.compareBetween(
                      byPolicy.get(one).getFirst(), byPolicy.get(other).getFirst()))
              .orElseThrow();
      ordered.add(byPolicy.get(first).removeFirst());
      byPolicy.values().removeIf(List::isEmpty);
    }
    return ordered;
  }

  private List<Job> candidates() {
    List<Job> found = new ArrayList<>();
    for (Job job : headroom.laneHeads().values()) {
      if (rules.refusal(job).filter(LIMITS::contains).isPresent()
          && rules.need(job) > 0
          && BlockedHoldCheck.isOldEnough(job, rules)) {
        found.add(job);
      }
    }
    rules.shadow.live().stream().filter(this::holdsCapacity).forEach(found::add);
    return found;
  }

  private boolean mayHold(Job job, List<Limit> limits) {
    Optional<Optional<Instant>> start = start(limits);
    boolean lasts = !rules.profile(job).holdAfter().isZero();
    boolean pauses = job.holdPause().filter(pause -> pause.until().isAfter(rules.now)).isPresent();
    return start.isPresent()
        && (start.get().isPresent() || (lasts && !pauses))
        && (holdsCapacity(job) || mayStart(job));
  }

  private boolean mayStart(Job job) {
    return rules.routes(job).stream().anyMatch(pool -> mayStart(pool, job) || mayClear(pool, job));
  }

  /// Whether it fits once all possible victims have gone there, and all that end.
  private boolean mayClear(Pool pool, Job job) {
    if (rules.need(job) > rules.reservation(rules.queue(job).policy())
        && !rules.preemptsWithin(job)) {
      return false;
    }
    Reference others = rules.without(BlockedHoldCheck.blocked(rules.shadow));
    Set<AttemptId> gone = new HashSet<>();
    for (Attempt attempt : rules.shadow.attempts.values()) {
      boolean isOwn = attempt.policy().equals(rules.queue(job).policy());
      boolean mayBeVictim =
          attempt.preemptible()
              && (!isOwn || rules.preemptsWithin(job) || Shadow.isSuspended(attempt));
      if (mayBeVictim || !BlockedHoldCheck.end(attempt, job, rules).endless()) {
        gone.add(attempt.id());
      }
    }
    return others.fitsWithout(pool, job, gone);
  }

  private boolean mayStart(Pool pool, Job job) {
    return pool.elasticity().isPresent()
        || rules.fits(pool, job)
        || BlockedHoldCheck.earliest(
                pool, job, rules.without(BlockedHoldCheck.blocked(rules.shadow)))
            .isPresent();
  }

  /// When all the limits leave room for the job: empty: never; of an empty time: unknown.
  private Optional<Optional<Instant>> start(List<Limit> limits) {
    Optional<Instant> latest = Optional.of(rules.now);
    for (Limit limit : limits) {
      Optional<Optional<Instant>> one = start(limit);
      if (one.isEmpty()) {
        return Optional.empty();
      }
      latest = latest.flatMap(at -> one.get().map(other -> other.isAfter(at) ? other : at));
    }
    return Optional.of(latest);
  }

  private Optional<Optional<Instant>> start(Limit limit) {
    List<Part> parts = headroom.parts(limit);
    List<Part> ending = new ArrayList<>();
    for (Part part : parts) {
      if (part.mayEnd()) {
        ending.add(part);
      }
    }
    ending.sort(Comparator.comparing(part -> part.at().orElse(Instant.MAX)));
    Instant at = rules.now;
    for (Part next : ending) {
      if (headroom.leaveRoom(limit, parts)) {
        break;
      }
      parts.remove(next);
      Instant end = next.at().orElse(Instant.MAX);
      at = end.isAfter(at) ? end : at;
    }
    if (!headroom.leaveRoom(limit, parts)) {
      return Optional.empty();
    }
    return Optional.of(at.equals(Instant.MAX) ? Optional.empty() : Optional.of(at));
  }
}
