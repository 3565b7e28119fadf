package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.PossibleVictims.Rank;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.ShareList;
import io.headgate.scheduler.core.rights.Standing;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Gives victims one by one, in exactly the reverse of the order in which jobs start (P2, P3).
/// Policies above their limit come first; then worst execution priority in its pool, worst rank,
/// largest share, lowest job priority, last started. Each is a victim only while its policy is
/// above its reservation after those taken before. Under P7 only strictly worse-ranked jobs of
/// other policies are.
///
/// In a pool that tenants share ([TenantAccount]), jobs of other tenants are victims only if the
/// preempting job's tenant ends within its reservation. Each is one only while its own tenant is
/// above; its policy plays no part. Ranks are compared within a tenant, so P7 takes from no other.
///
/// Suspended attempts come before them all, in this order among themselves. They have no GPU, so
/// the reservation of their policy plays no part; they only block memory and processors. Under P1,
/// those of the job's own policy are victims if their turn comes after the job's. Under P7, those
/// of worse rank of other policies are.
///
/// Policies x (over by 4) and y (over by 3) have one rank and jobs of 2. The walk gives x, then y,
/// since x is now over by 2. Then it gives x, then y, of which only 1 was over, and ends.
final class VictimWalk implements VictimIterator {
  private final boolean keepsReservation;
  private final Instant now;
  private final Predicate<LiveAttempt> passedOver;
  private final PossibleVictims possibleVictims;

  /// The job that asks; null: the walk is not for one job.
  private final @Nullable LiveJob asking;

  private final Map<PolicyAccount, Loss> losses = new HashMap<>();
  private final Map<TenantAccount, Loss> lossesOfTenants = new HashMap<>();
  private final PriorityQueue<Line> lines;
  private @Nullable Instant protectedUntil;

  /// The amount taken from a policy, or from a tenant.
  private static final class Loss {
    long units;
  }

  /// Attempts of one class, the last started first.
  private final class Line implements Comparable<Line> {
    Standing standing = Standing.ENTITLED;
    final int position;
    final int rank;
    final PolicyAccount policy;
    final int priority;
    final TenantAccount tenant;
    final ShareList shareOfTenant = new ShareList();
    final ShareList shareOfPolicy = new ShareList();
    final Loss loss;
    final Loss lossOfTenant;

    /// Whether it goes because its tenant is above its reservation; else because its policy is.
    final boolean isForeign;

    final boolean isSuspended;
    final Iterator<LiveAttempt> attempts;
    @Nullable LiveAttempt next;

    /// The amount taken from the policy when the line was put in its place.
    long takenThen;

    /// The same of the tenant.
    long takenFromTenantThen;

    Line(Route route, Rank key, SequencedSet<LiveAttempt> members) {
      PoolState pool = route.pool();
      tenant = members.getFirst().tenant();
      isForeign = tenant.isBound() && tenant != route.tenant();
      position = pool.executionPosition(key.profile());
      rank = key.queue().rank();
      policy = key.policy();
      priority = key.priority();
      loss = losses.computeIfAbsent(policy, of -> new Loss());
      // Where tenants do not share, their losses are not compared.
      lossOfTenant =
          tenant.isBound() ? lossesOfTenants.computeIfAbsent(tenant, of -> new Loss()) : new Loss();
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
        order = other.shareOfPolicy.comparedWith(shareOfPolicy);
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
    this.keepsReservation = Permission.keepsReservation(request);
    this.now = now;
    this.asking = request.job();
    this.lines = new PriorityQueue<>();
    for (Route route : request.routes()) {
      possibleVictims
          .suspendedIn(route.pool())
          .forEach((rank, attempts) -> {
            if (mayEnd(request, route, rank, attempts)) {
              put(new Line(route, rank, attempts));
            }
          });
      possibleVictims
          .in(route.pool())
          .forEach((policy, classes) -> {
            // Most policies are within their reservation; they cost nothing further.
            if (policy.isAboveReservation() || route.tenant().isBound()) {
              classes.forEach((rank, attempts) -> {
                if (mayTakeFrom(request, route, rank, attempts)) {
                  put(new Line(route, rank, attempts));
                }
              });
            }
          });
    }
  }

  private static boolean mayEnd(
      RoomRequest request, Route route, Rank suspended, SequencedSet<LiveAttempt> members) {
    TenantAccount own = route.tenant();
    if (own.isBound() && members.getFirst().tenant() != own) {
      return request.rule() == PreemptionRule.P1
          && own.isEntitled(route.ranking().shape().needUnits());
    }
    return request.rule() == PreemptionRule.P1 || isWorse(request, route, suspended);
  }

  /// Whether it is suspended, belongs to the policy of the asking job, and would resume before that
  /// job starts.
  private boolean isAhead(LiveAttempt suspended) {
    return asking != null
        && suspended.policy() == asking.queue().account()
        && !Turn.of(asking, suspended.pool()).precedes(Turn.of(suspended));
  }

  private static boolean mayTakeFrom(
      RoomRequest request, Route route, Rank victim, SequencedSet<LiveAttempt> members) {
    TenantAccount own = route.tenant();
    if (own.isBound() && members.getFirst().tenant() != own) {
      return request.rule() == PreemptionRule.P1
          && own.isEntitled(route.ranking().shape().needUnits())
          && members.getFirst().tenant().isAboveReservation();
    }
    if (!victim.policy().isAboveReservation()) {
      return false;
    }
    return request.rule() != PreemptionRule.P7 || isWorse(request, route, victim);
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
      line.takenThen = line.loss.units;
      line.takenFromTenantThen = line.lossOfTenant.units;
      line.standing =
          line.policy
              .standingWithout(line.takenThen)
              .or(line.tenant.standingWithout(line.takenFromTenantThen));
      line.shareOfTenant.clear();
      line.shareOfTenant.addWithout(line.tenant, line.standing, line.takenFromTenantThen);
      line.shareOfPolicy.clear();
      line.shareOfPolicy.addWithout(line.policy, line.standing, line.takenThen);
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
      if (line.takenThen != line.loss.units
          || line.takenFromTenantThen != line.lossOfTenant.units) {
        // Its policy or its tenant has lost others since: its turn may be later than its place
        // said, never earlier.
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
      line.loss.units += victim.takenUnits();
      if (line.tenant.isBound()) {
        line.lossOfTenant.units += victim.takenUnits();
      }
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
    return attempt.policy().standingWithout(0).or(attempt.tenant().standingWithout(0));
  }

  private boolean mayGo(Line line, LiveAttempt victim) {
    if (line.isSuspended) {
      return true;
    }
    long usage =
        line.isForeign
            ? line.tenant.usageWithoutStopping() - line.lossOfTenant.units
            : line.policy.usageWithoutStopping() - line.loss.units;
    long reservation = line.isForeign ? line.tenant.reservation() : line.policy.reservation();
    return keepsReservation ? usage - victim.units() >= reservation : usage > reservation;
  }

  @Override
  public Optional<Instant> protectedUntil() {
    return Optional.ofNullable(protectedUntil);
  }
}
