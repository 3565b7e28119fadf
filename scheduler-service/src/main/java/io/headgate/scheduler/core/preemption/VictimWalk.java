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
import io.headgate.scheduler.core.rights.FairExchange;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.RemovedUsage;
import io.headgate.scheduler.core.rights.ShareList;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Gives victims one by one, in exactly the reverse of the order in which jobs start (P2, P3). The
/// worst standing comes first; then worst execution priority in its pool, worst rank, largest
/// share, lowest job priority, last started. Each is a victim only while its levels permit it after
/// those taken before ([RemovedUsage.Path#mayLose]). Under P7 only strictly worse-ranked jobs of
/// other policies are, under P10 those of policies with larger shares; no policy ends below its
/// reservation.
///
/// Jobs of the preempting job's own policy go by P9, if their job priority is lower and they do not
/// come before it by O2 and O3. They may be in any pool. A job that P10 does not permit yet is
/// tried again after one of them.
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
final class VictimWalk {
  private final RoomRequest request;
  private final PreemptionRule rule;
  private final boolean keepsReservation;
  private final Instant now;
  private final Predicate<LiveAttempt> passedOver;
  private final PossibleVictims possibleVictims;

  /// The job that asks; null: the walk is not for one job.
  private final @Nullable LiveJob asking;

  private final RankComparison ranks;
  private final RemovedUsage removals = new RemovedUsage();
  private final PriorityQueue<Line> lines;
  private @Nullable Instant protectedUntil;

  /// The shares on each route (P10).
  private final List<FairExchange> exchanges = new ArrayList<>(0);

  /// Attempts that shares did not permit, and that they may permit later.
  private final List<Refused> refused = new ArrayList<>(0);

  private record Refused(Line line, LiveAttempt attempt) {}

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

    /// Whether its jobs go by P9.
    final boolean isOwn;

    final boolean isSuspended;
    final Iterator<LiveAttempt> attempts;
    @Nullable LiveAttempt next;

    /// The shares that must permit it (P10); null: they play no part.
    @Nullable FairExchange exchange;

    /// The amount taken from its levels when the line was put in its place.
    long takenThen;

    /// @param unit that must be above its reservation
    Line(
        PoolState pool,
        Rank key,
        RemovedUsage.Path levels,
        int unit,
        boolean isOwn,
        SequencedSet<LiveAttempt> members) {
      position = pool.executionPosition(key.profile());
      rank = key.queue().rank();
      priority = key.priority();
      this.levels = levels;
      this.unit = unit;
      this.isOwn = isOwn;
      isSuspended = members.getFirst().isSuspended();
      attempts = members.reversed().iterator();
      advance();
    }

    /// One attempt of a line that was refused.
    Line(Line of, LiveAttempt only) {
      position = of.position;
      rank = of.rank;
      priority = of.priority;
      levels = of.levels;
      unit = of.unit;
      isOwn = of.isOwn;
      isSuspended = of.isSuspended;
      exchange = of.exchange;
      attempts = List.of(only).iterator();
      advance();
    }

    /// Goes to the next attempt that may go as far as its run time is concerned. Where no work is
    /// taken nothing would be gained by its going.
    void advance() {
      next = null;
      while (next == null && attempts.hasNext()) {
        LiveAttempt attempt = attempts.next();
        if ((!isOwn && !attempt.isWhereWorkIsTaken())
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
    this.request = request;
    this.rule = request.rule();
    this.ranks = new RankComparison(request);
    this.keepsReservation = Permission.keepsReservation(request);
    this.now = now;
    this.asking = request.job();
    this.lines = new PriorityQueue<>();
    if (rule != PreemptionRule.P9) {
      request.routes().forEach(this::addFrom);
    }
    if (request.within()) {
      possibleVictims
          .of(Objects.requireNonNull(request.account()))
          .forEach(
              (pool, classes) -> classes.forEach((rank, attempts) -> addOwn(pool, rank, attempts)));
    }
  }

  /// A pool's dedication protects from other policies only. Where no work is taken, the end of a
  /// job still makes room in the limit.
  private void addOwn(PoolState pool, Rank rank, SequencedSet<LiveAttempt> attempts) {
    if (rank.priority() < request.priority() && !ranks.isFirst(pool, rank)) {
      put(new Line(pool, rank, removals.path(levels(attempts)), 0, true, attempts));
    }
  }

  private void addFrom(Route route) {
    Instant protectedBefore = protectedUntil;
    FairExchange exchange = rule == PreemptionRule.P10 ? shares(route) : null;
    List<Line> found = new ArrayList<>();
    possibleVictims
        .suspendedIn(route.pool())
        .forEach((rank, attempts) -> {
          if (ranks.allowToEnd(route, rank, attempts.getFirst().tenant())) {
            RemovedUsage.Path levels = removals.path(levels(attempts));
            found.add(new Line(route.pool(), rank, levels, 0, false, attempts));
          }
        });
    possibleVictims
        .in(route.pool())
        .forEach((policy, classes) -> {
          if (policy == request.account()) {
            return;
          }
          // Most policies are within their reservation; they cost nothing further.
          if (policy.isAboveReservation()
              || policy.department().isPresent()
              || route.tenant().isBound()) {
            addOf(route, classes, exchange, found);
          }
        });
    Account denying =
        request.isEntitledOnly() && route.tenant().isBound()
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
      Route route,
      Map<Rank, SequencedSet<LiveAttempt>> classes,
      @Nullable FairExchange exchange,
      List<Line> found) {
    if (classes.isEmpty()) {
      return;
    }
    RemovedUsage.Path levels = removals.path(levels(classes.values().iterator().next()));
    int unit = Permission.unit(levels, rule, route);
    if (!levels.mayLose(unit)) {
      return;
    }
    boolean isOfOtherTenant = levels.isOfOtherTenant(route.upper());
    classes.forEach((rank, attempts) -> {
      boolean mayGo =
          ranks.allow(route, rank, isOfOtherTenant)
              && (exchange == null || exchange.isLarger(levels(attempts)));
      if (mayGo) {
        Line line = new Line(route.pool(), rank, levels, unit, false, attempts);
        line.exchange = exchange;
        found.add(line);
      }
    });
  }

  /// The shares, counted from now on without the victims (P10).
  private FairExchange shares(Route route) {
    Levels mine = new Levels(Objects.requireNonNull(request.account()), route.tenant());
    FairExchange exchange = new FairExchange(mine, route.need());
    exchanges.add(exchange);
    return exchange;
  }

  private static Levels levels(SequencedSet<LiveAttempt> attempts) {
    return attempts.getFirst().levels();
  }

  /// Whether it is suspended, belongs to the policy of the asking job, and would resume before that
  /// job starts.
  private boolean isAhead(LiveAttempt suspended) {
    return asking != null
        && suspended.policy() == asking.queue().account()
        && !Turn.of(asking, suspended.pool()).precedes(Turn.of(suspended.job(), suspended.pool()));
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

  /// The next victim; empty when there is no other.
  Optional<LiveAttempt> next() {
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
          if (request.within()) {
            refused.add(new Refused(line, victim));
          }
          line.advance();
          put(line);
        }
        continue;
      }
      line.levels.remove(victim.takenUnits());
      exchanges.forEach(each -> each.remove(victim.levels(), victim.takenUnits()));
      line.advance();
      put(line);
      if (line.isOwn) {
        retryRefused();
      }
      return Optional.of(victim);
    }
  }

  /// Without jobs of its own policy the job's share is smaller, so others may be permitted now.
  private void retryRefused() {
    List<Refused> again = List.copyOf(refused);
    refused.clear();
    for (Refused each : again) {
      put(new Line(each.line(), each.attempt()));
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
    if (line.isSuspended || line.isOwn) {
      return true;
    }
    return keepsReservation
        ? line.levels.mayLoseAndKeep(line.unit, victim.units())
            && (line.exchange == null
                || line.exchange.staysAsLarge(victim.levels(), victim.units()))
        : line.levels.mayLose(line.unit);
  }

  /// The earliest end of protection of an attempt that was passed over.
  Optional<Instant> protectedUntil() {
    return Optional.ofNullable(protectedUntil);
  }
}
