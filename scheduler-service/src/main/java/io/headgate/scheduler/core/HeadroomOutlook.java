package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.HeadroomLimit;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// When a limit is expected to leave room for a blocked job (O7).
///
/// Running attempts of the scope end when they are expected to. Stopping attempts are gone now, but
/// those of returning jobs (O5) start again: their ends are unknown, whether a place is kept for
/// them or not. Unknown ends come last, and so do those of jobs that wait for their victims. Holds
/// of other blocked jobs do not count. Endless attempts do not end. Non-preemptible ones do not
/// either, unless the limit counts only those (A8): otherwise no headroom would ever be held in it.
///
/// A limit of 16; attempts of 1 until 10:00, 4 until 11:00, and 10 of an unknown end; a job needs
/// 8. Its start is unknown: by 11:00 only 6 are free.
final class HeadroomOutlook {
  /// The answer.
  sealed interface Expected {}

  /// @param start may have passed: an attempt is overdue
  record Known(Instant start) implements Expected {}

  record Unknown() implements Expected {}

  /// Not without an attempt that will probably not end, or never.
  record Never() implements Expected {}

  /// The part of the scope's use that one attempt or hold makes up.
  ///
  /// @param endsAt empty: unknown
  private record Part(PolicyAccount policy, long units, Optional<Instant> endsAt) {
    private static final Comparator<Part> BY_END =
        Comparator.comparing(part -> part.endsAt.orElse(Instant.MAX));
  }

  private final World world;
  private final HeadroomLimit limit;
  private final Ends ends;
  private final List<Part> parts = new ArrayList<>();
  private final Map<PolicyAccount, Long> usage = new HashMap<>();
  private long protectedUsage;
  private long total;
  private Instant changesAt = Instant.MAX;
  private boolean usesObserved;

  private HeadroomOutlook(World world, HeadroomLimit limit, Ends ends) {
    this.world = world;
    this.limit = limit;
    this.ends = ends;
  }

  /// Looks at one limit.
  static HeadroomOutlook of(World world, HeadroomLimit limit, Instant now) {
    HeadroomOutlook outlook =
        new HeadroomOutlook(world, limit, new Ends(now, limit.job().queue().holdAfter()));
    outlook.collect();
    return outlook;
  }

  /// Whether it rests on observed run times: with each moment, fewer runs lasted longer.
  boolean usesObserved() {
    return usesObserved;
  }

  /// When the core must look again although nothing has happened.
  Instant changesAt() {
    return changesAt;
  }

  private void collect() {
    if (limit.isAbovePolicy()) {
      for (PolicyAccount policy : world.accounts.values()) {
        if (limit.isInScope(policy)) {
          world.attemptsOf.of(policy).forEach(this::add);
        }
      }
    } else if (bound() == Bound.USER_LIMIT) {
      world.attemptsOf.of(limit.policy(), limit.job().user()).forEach(this::add);
    } else {
      world.attemptsOf.of(limit.policy()).forEach(this::add);
    }
    for (LiveHold hold : world.holds.values()) {
      addHeld(hold);
    }
    world.returning.values().forEach(this::addReturning);
    parts.sort(Part.BY_END);
  }

  private void add(LiveAttempt attempt) {
    if (!limit.isInScope(attempt) || !counts(attempt.job(), attempt.claim().preemptible())) {
      return;
    }
    boolean mayEnd = attempt.claim().preemptible() || bound() == Bound.NON_PREEMPTIBLE;
    Ends.End end = ends.of(attempt);
    count(attempt.policy(), attempt.units());
    if (mayEnd && !end.isEndless()) {
      parts.add(new Part(attempt.policy(), attempt.units(), end.at()));
      usesObserved |= end.certainty() == Ends.Certainty.OBSERVED;
      end.at().filter(at -> at.isAfter(ends.now())).ifPresent(this::changes);
      ends.agesAt(attempt).ifPresent(this::changes);
    }
  }

  private void changes(Instant at) {
    changesAt = at.isBefore(changesAt) ? at : changesAt;
  }

  private void addReturning(LiveAttempt attempt) {
    if (attempt.job().hold() == null
        && limit.isInScope(attempt)
        && counts(attempt.job(), attempt.claim().preemptible())) {
      addUnknown(attempt.policy(), attempt.units());
    }
  }

  private void addHeld(LiveHold hold) {
    boolean isOwn = hold.job() == limit.job();
    boolean isLeftOut = hold.isForBlocked();
    if (!isOwn
        && !isLeftOut
        && !isCounted(hold.job().attempt())
        && hold.claim().units() > 0
        && limit.isInScope(hold)
        && counts(hold.job(), hold.claim().preemptible())) {
      addUnknown(hold.policy(), hold.claim().units());
    }
  }

  /// The attempt of a job that moves (P11) stops: the job goes on in its new place.
  private static boolean isCounted(@Nullable LiveAttempt attempt) {
    return attempt != null && attempt.stop() == null;
  }

  private void addUnknown(PolicyAccount policy, long units) {
    count(policy, units);
    parts.add(new Part(policy, units, Optional.empty()));
  }

  private boolean counts(LiveJob job, boolean preemptible) {
    return switch (bound()) {
      case LIMIT, RESERVATION -> true;
      case USER_LIMIT -> job.user().equals(limit.job().user());
      case NON_PREEMPTIBLE -> !preemptible;
    };
  }

  private Bound bound() {
    return limit.scope().bound();
  }

  private void count(PolicyAccount policy, long units) {
    long before = usage.getOrDefault(policy, 0L);
    usage.put(policy, before + units);
    total += units;
    protectedUsage +=
        Math.min(before + units, policy.reservation()) - Math.min(before, policy.reservation());
  }

  private boolean leavesRoom() {
    boolean countsProtected = bound() == Bound.RESERVATION && limit.isAbovePolicy();
    long used = countsProtected ? protectedUsage : total;
    return used + limit.job().queue().need() <= limit.most();
  }

  Expected expected() {
    Instant last = Instant.MIN;
    for (Part part : parts) {
      if (leavesRoom()) {
        break;
      }
      last = part.endsAt.orElse(Instant.MAX);
      count(part.policy, -part.units);
    }
    if (!leavesRoom()) {
      return new Never();
    }
    return last.equals(Instant.MAX)
        ? new Unknown()
        : new Known(last.isBefore(ends.now()) ? ends.now() : last);
  }

  /// Whether the first answer promises room before the other one does.
  static boolean isSooner(Expected first, Expected other) {
    return switch (first) {
      case Known(Instant start) ->
          !(other instanceof Known(Instant otherStart)) || start.isBefore(otherStart);
      case Unknown() -> other instanceof Never;
      case Never() -> false;
    };
  }

  /// When all the limits are expected to leave room.
  static Expected latest(List<Expected> each) {
    Instant start = Instant.MIN;
    boolean isUnknown = false;
    for (Expected one : each) {
      switch (one) {
        case Known(Instant at) -> start = at.isAfter(start) ? at : start;
        case Unknown() -> isUnknown = true;
        case Never() -> {
          return one;
        }
      }
    }
    return isUnknown ? new Unknown() : new Known(start);
  }
}
