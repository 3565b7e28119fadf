package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Grounds;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One policy's rights and usage, in units of 1/126000 GPU.
///
/// Usage is counted in two ways. *Charged* is what its attempts have, and the larger of what stops
/// and what is held for its jobs: as much is used at most, now or when those who hold have started,
/// for they start only within the limit. Limits are measured on it, so they hold at every instant.
/// *Standing* leaves out what stops: it is what the policy will have when everything that was
/// decided is done, so the order of jobs and the right to preempt are measured on it; else a policy
/// whose victims are slow to stop would be taken from twice. It also leaves out what is held for
/// long-blocked jobs (DESIGN O7): that others of the policy may go because one of it waits would be
/// no right of anybody's.
public final class PolicyAccount {
  private final PolicyId id;
  private @Nullable Policy policy;
  private long live;
  private long stopping;
  private long held;
  private long heldForBlocked;
  private long nonPreemptible;

  /// Null while users are not limited: most policies do not, and the book costs with every start.
  private @Nullable Map<UserId, Long> chargedByUser;

  private int attempts;
  private long version;

  public PolicyAccount(PolicyId id) {
    this.id = id;
  }

  public PolicyId id() {
    return id;
  }

  /// Absent when the policy is not provisioned: it has no rights, and whatever it still uses is
  /// over-reservation.
  public Optional<Policy> policy() {
    return Optional.ofNullable(policy);
  }

  public void configure(@Nullable Policy newPolicy) {
    policy = newPolicy;
    version++;
  }

  public long reservation() {
    return policy == null ? 0 : policy.reservation().units();
  }

  public long limit() {
    return policy == null ? 0 : policy.limit().units();
  }

  public PreemptionOutcome onPreempt() {
    return policy == null ? PreemptionOutcome.REQUEUE : policy.onPreempt();
  }

  public Duration minRuntime() {
    return policy == null ? Duration.ZERO : policy.minRuntime();
  }

  /// What one user may use; [Long#MAX_VALUE] when it is not limited.
  public long perUserLimit() {
    return policy == null
        ? Long.MAX_VALUE
        : policy.perUserLimit().map(GpuQuantity::units).orElse(Long.MAX_VALUE);
  }

  public boolean limitsUsers() {
    return policy != null && policy.perUserLimit().isPresent();
  }

  public long used() {
    return live + stopping;
  }

  public long stopping() {
    return stopping;
  }

  public long held() {
    return held + heldForBlocked;
  }

  /// Counts every change of its rights and of what it has, so that what was derived from it is
  /// known to be old.
  public long version() {
    return version;
  }

  public int attempts() {
    return attempts;
  }

  public long charged() {
    return live + Math.max(stopping, held + heldForBlocked);
  }

  /// As charged, without what is held for long-blocked jobs (DESIGN O7).
  public long chargedBesideBlocked() {
    return live + Math.max(stopping, held);
  }

  public long standing() {
    return live + held;
  }

  /// What stands of its reservation now, to be told.
  public Grounds.Share share() {
    return new Grounds.Share(id, new GpuQuantity(standing()), new GpuQuantity(reservation()));
  }

  /// What one user's jobs have or have held for them; 0 while users are not limited.
  public long charged(UserId user) {
    return chargedByUser == null ? 0 : chargedByUser.getOrDefault(user, 0L);
  }

  /// Whether users are limited and it is not known what each has, because until now they were not:
  /// then [#countUsers] must follow.
  public boolean mustCountUsers() {
    return limitsUsers() && chargedByUser == null;
  }

  /// Takes note of what each user's jobs have or have held for them.
  public void countUsers(Iterable<Claim> claims) {
    chargedByUser = new HashMap<>();
    for (Claim claim : claims) {
      if (claim.units() != 0) {
        addToUser(chargedByUser, claim, 1);
      }
    }
  }

  /// Forgets it, if users are not limited any more.
  public void forgetUsers() {
    if (!limitsUsers()) {
      chargedByUser = null;
    }
  }

  /// What its non-preemptible jobs have or have held for them (DESIGN A8).
  public long nonPreemptible() {
    return nonPreemptible;
  }

  /// A job that needs so much would end at or below the reservation (DESIGN O1, P1).
  public boolean isEntitled(long need) {
    return standing() + need <= reservation();
  }

  /// Where the policy would stand with a job more that needs so much.
  public Standing standingWith(long need) {
    if (isEntitled(need)) {
      return Standing.ENTITLED;
    }
    return charged() + need <= limit() ? Standing.OVER_RESERVATION : Standing.ABOVE_LIMIT;
  }

  /// Where the policy stands without what a search has taken from it.
  public Standing standingWithout(long taken) {
    long left = standing() - taken;
    if (left <= reservation()) {
      return Standing.ENTITLED;
    }
    return left <= limit() ? Standing.OVER_RESERVATION : Standing.ABOVE_LIMIT;
  }

  /// Whether the user's jobs may use idle capacity above the limit (DESIGN A2).
  public boolean mayExceedLimit(UserId user) {
    return policy != null && policy.exceedLimit().contains(user);
  }

  /// Whether its jobs may preempt each other (DESIGN P9).
  public boolean preemptsWithin() {
    return policy != null && policy.preemptWithin() == PreemptWithin.LOWER_PRIORITY;
  }

  /// Over-reservation usage, measured on `standing` less what a search has taken from the policy.
  public long over(long taken) {
    return Math.max(0, standing() - taken - reservation());
  }

  /// Compares over-reservation usage ÷ weight (DESIGN O4), exactly.
  ///
  /// @return negative when this policy has less of its share
  public int compareShare(long taken, PolicyAccount other, long takenFromOther) {
    return compareOver(over(taken), other, other.over(takenFromOther));
  }

  /// The same of over-reservation usages that are known.
  public int compareOver(long over, PolicyAccount other, long othersOver) {
    return Long.compare(over * other.weight(), othersOver * weight());
  }

  private int weight() {
    return policy == null ? 1 : policy.weight();
  }

  /// What a job or its hold adds.
  ///
  /// @param units of all its workers
  public record Claim(UserId user, long units, boolean preemptible) {}

  public void start(Claim claim) {
    version++;
    live += claim.units();
    attempts++;
    charge(claim, 1);
  }

  /// The attempt was asked to stop.
  public void stop(Claim claim) {
    version++;
    live -= claim.units();
    stopping += claim.units();
  }

  /// The attempt has ended.
  public void end(Claim claim, boolean wasStopping) {
    version++;
    if (wasStopping) {
      stopping -= claim.units();
    } else {
      live -= claim.units();
    }
    attempts--;
    charge(claim, -1);
  }

  /// Something is held for a job.
  ///
  /// @param forBlocked under DESIGN O7
  public void hold(Claim claim, boolean forBlocked) {
    addHeld(claim.units(), forBlocked);
    charge(claim, 1);
  }

  public void release(Claim claim, boolean forBlocked) {
    addHeld(-claim.units(), forBlocked);
    charge(claim, -1);
  }

  private void addHeld(long units, boolean forBlocked) {
    version++;
    if (forBlocked) {
      heldForBlocked += units;
    } else {
      held += units;
    }
  }

  private void charge(Claim claim, int sign) {
    long change = sign * claim.units();
    if (change == 0) {
      return;
    }
    if (!claim.preemptible()) {
      nonPreemptible += change;
    }
    if (chargedByUser != null) {
      addToUser(chargedByUser, claim, sign);
    }
  }

  private static void addToUser(Map<UserId, Long> charged, Claim claim, int sign) {
    charged.merge(
        claim.user(), sign * claim.units(), (a, b) -> a + b == 0 ? null : Long.valueOf(a + b));
  }
}
