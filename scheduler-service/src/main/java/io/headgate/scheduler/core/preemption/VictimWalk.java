package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.PossibleVictims.Rank;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.rights.Account;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.RemovedUsage;
import io.headgate.scheduler.core.rights.ShareList;
import io.headgate.scheduler.core.rights.Standing;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Gives victims one by one, in exactly the reverse of the order in which jobs start (P2, P3). The
/// worst standing comes first; then worst execution priority in its pool, worst rank, largest
/// share, lowest job priority, last started. Each is a victim only while its levels permit it after
/// those taken before ([RemovedUsage.Path#mayLose]). Under P7 only strictly worse-ranked jobs of
/// other policies are, and no policy ends below its reservation.
///
/// Ranks are compared within a tenant, so P7 takes from no other where tenants share a pool.
///
/// Suspended attempts come before them all, in this order among themselves. They have no GPU, so
/// the reservation of their policy plays no part; they only block memory and processors. Under P1,
/// those of the job's own policy are victims if their turn comes after the job's. Under P7, those
/// of worse rank of other policies are.
///
/// Policies x (over by 4) and y (over by 3) have one rank and jobs of 2. The walk gives x, then y,
/// since x is now over by 2. Then it gives x, then y, of which only 1 was over, and ends.
final class VictimWalk implements VictimIterator {
  private final PreemptionRule rule;
  private final boolean keepsReservation;
  private final Instant now;
  private final Predicate<LiveAttempt> passedOver;
  private final PossibleVictims possibleVictims;

  /// The job that asks; null: the walk is not for one job.
  private final @Nullable LiveJob asking;

  private final RemovedUsage removals = new RemovedUsage();
  private final PriorityQueue<Line> lines;
  private @Nullable Instant protectedUntil;

  /// Attempts of one class, the last started first.
  private final class Line implements Comparable<Line> {
    Standing standing = Standing.ENTITLED;
    final int position;
    final int rank;
    final int priority;
    final ShareList shareOfTenant = new ShareList();
    final ShareList sharesWithin = new ShareList();

    /// Its levels, without what was taken from them.
    final RemovedUsage.Path levels;

    /// The level that must be above its reservation.
    final int unit;

    final boolean isSuspended;
    final Iterator<LiveAttempt> attempts;
    @Nullable LiveAttempt next;

    /// The amount taken from its levels when the line was put in its place.
    long takenThen;

    Line(Route route, Rank key, RemovedUsage.Path levels, SequencedSet<LiveAttempt> members) {
      PoolState pool = route.pool();
      position = pool.executionPosition(key.profile());
      rank = key.queue().rank();
      priority = key.priority();
      this.levels = levels;
      unit = Permission.unit(levels, rule, route);
      isSuspended = members.getFirst().isSuspended();
      attempts = members.reversed().iterator();
      advance();
    }

    /// Goes to the next attempt that may go as far as its run time is concerned. Where no work is
    /// taken nothing would be gained by its going.
    void advance() {
      next = null;
      while (next == null && attempts.hasNext()) {
        LiveAttempt attempt = attempts.next();
        if (!attempt.isWhereWorkIsTaken()
            || (isSuspended && isAhead(attempt))
            || passedOver.test(attempt)
            || (!isSuspended && possibleVictims.isFresh(attempt))) {
          continue;
        }
        Instant until = attempt.protectedUntil();
        if (!isSuspended && until.isAfter(now)) {
          if (protectedUntil == null || until.isBefore(protectedUntil)) {
            protectedUntil = until;
          }
        } else {
          next = attempt;
        }
      }
    }

    /// The worst first.
    @Override
    public int compareTo(Line other) {
      int order = Boolean.compare(other.isSuspended, isSuspended);
      if (order == 0) {
        order = other.standing.compareTo(standing);
      }
      if (order == 0) {
        order = Integer.compare(other.position, position);
      }
      if (order == 0) {
        order = other.shareOfTenant.comparedWith(shareOfTenant);
      }
      if (order == 0) {
        order = Integer.compare(other.rank, rank);
      }
      if (order == 0) {
        order = other.sharesWithin.comparedWith(sharesWithin);
      }
      if (order == 0) {
        order = Integer.compare(priority, other.priority);
      }
      return order == 0 ? Long.compare(other.nextSequence(), nextSequence()) : order;
    }

    long nextSequence() {
      return next == null ? -1 : next.sequence();
    }
  }

  /// @param passedOver attempts that are no victims in this walk
  VictimWalk(
      PossibleVictims possibleVictims,
      RoomRequest request,
      Instant now,
      Predicate<LiveAttempt> passedOver) {
    this.passedOver = passedOver;
    this.possibleVictims = possibleVictims;
    this.rule = request.rule();
    this.keepsReservation = Permission.keepsReservation(request);
    this.now = now;
    this.asking = request.job();
    this.lines = new PriorityQueue<>();
    for (Route route : request.routes()) {
      addFrom(request, route);
    }
  }

  private void addFrom(RoomRequest request, Route route) {
    Instant protectedBefore = protectedUntil;
    List<Line> found = new ArrayList<>();
    possibleVictims
        .suspendedIn(route.pool())
        .forEach((rank, attempts) -> {
          if (mayEnd(request, route, rank, attempts)) {
            found.add(new Line(route, rank, removals.path(levels(attempts)), attempts));
          }
        });
    possibleVictims
        .in(route.pool())
        .forEach((policy, classes) -> {
          // Most policies are within their reservation; they cost nothing further.
          if (policy.isAboveReservation()
              || policy.department().isPresent()
              || route.tenant().isBound()) {
            addOf(request, route, classes, found);
          }
        });
    Account denying =
        rule == PreemptionRule.P1 && route.tenant().isBound()
            ? route.upper().denying(route.need())
            : null;
    if (denying == null || found.stream().anyMatch(line -> line.levels.has(denying))) {
      found.forEach(this::put);
    } else {
      // No victim makes the job entitled, so it waits for no end of a protection.
      protectedUntil = protectedBefore;
    }
  }

  private void addOf(
      RoomRequest request,
      Route route,
      Map<Rank, SequencedSet<LiveAttempt>> classes,
      List<Line> found) {
    if (classes.isEmpty()) {
      return;
    }
    RemovedUsage.Path levels = removals.path(levels(classes.values().iterator().next()));
    if (levels.mayLose(Permission.unit(levels, rule, route))
        && !(rule == PreemptionRule.P7 && levels.isOfOtherTenant(route.upper()))) {
      classes.forEach((rank, attempts) -> {
        if (rule != PreemptionRule.P7 || isWorse(request, route, rank)) {
          found.add(new Line(route, rank, levels, attempts));
        }
      });
    }
  }

  private static Levels levels(SequencedSet<LiveAttempt> attempts) {
    return attempts.getFirst().levels();
  }

  private static boolean mayEnd(
      RoomRequest request, Route route, Rank suspended, SequencedSet<LiveAttempt> members) {
    if (request.rule() == PreemptionRule.P1) {
      return true;
    }
    TenantAccount own = route.tenant();
    return (!own.isBound() || members.getFirst().tenant() == own)
        && isWorse(request, route, suspended);
  }

  /// Whether it is suspended, belongs to the policy of the asking job, and would resume before that
  /// job starts.
  private boolean isAhead(LiveAttempt suspended) {
    return asking != null
        && suspended.policy() == asking.queue().account()
        && !Turn.of(asking, suspended.pool()).precedes(Turn.of(suspended));
  }

  /// Whether it goes before the job by P7: by execution priority, then rank.
  private static boolean isWorse(RoomRequest request, Route route, Rank victim) {
    int position = route.pool().executionPosition(victim.profile());
    return victim.policy() != request.account()
        && (position > route.position()
            || (position == route.position() && victim.queue().rank() > request.rank()));
  }

  private void put(Line line) {
    if (line.next != null) {
      line.takenThen = line.levels.removed();
      line.standing = line.levels.standing();
      line.levels.shareOfTenant(line.shareOfTenant, line.standing);
      line.levels.sharesWithin(line.sharesWithin, line.standing);
      lines.add(line);
    }
  }

  @Override
  public Optional<LiveAttempt> next() {
    while (true) {
      Line line = lines.poll();
      if (line == null || line.next == null) {
        return Optional.empty();
      }
      if (line.takenThen != line.levels.removed()) {
        // Its levels have lost others since: its turn may be later than its place said, never
        // earlier.
        put(line);
        continue;
      }
      LiveAttempt victim = line.next;
      if (!mayGo(line, victim)) {
        // The amount taken only grows: neither this job nor a larger one may become a victim any
        // more.
        if (keepsReservation) {
          line.advance();
          put(line);
        }
        continue;
      }
      line.levels.remove(victim.takenUnits());
      line.advance();
      put(line);
      return Optional.of(victim);
    }
  }

  /// All that could go, in the order as things stand: nothing counts as removed for the next. The
  /// walk is used up by it.
  List<LiveAttempt> all() {
    List<LiveAttempt> all = new ArrayList<>();
    for (Line line = lines.poll(); line != null; line = lines.poll()) {
      LiveAttempt next = line.next;
      if (next != null) {
        all.add(next);
        line.advance();
        put(line);
      }
    }
    return all;
  }

  /// The standing of the attempt as things stand (O1).
  static Standing standing(LiveAttempt attempt) {
    return new RemovedUsage().path(attempt.levels()).standing();
  }

  private boolean mayGo(Line line, LiveAttempt victim) {
    if (line.isSuspended) {
      return true;
    }
    return keepsReservation
        ? line.levels.mayLoseAndKeep(line.unit, victim.units())
        : line.levels.mayLose(line.unit);
  }

  @Override
  public Optional<Instant> protectedUntil() {
    return Optional.ofNullable(protectedUntil);
  }
}
