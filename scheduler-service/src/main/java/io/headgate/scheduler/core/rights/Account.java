package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.job.PastUse;

/// The usage of one level of rights against its reservation and limit, in units of 1/126000 GPU.
///
/// Usage is counted in two ways:
///
/// - *Charged* is the use of attempts, plus the larger of stopping and held capacity. Jobs with a
///   hold start only within the limit, so usage never exceeds it. Limits are measured on it.
/// - *Usage without stopping* leaves out the attempts that stop: it is the usage once every
///   decision has been carried out. The order of jobs and the right to preempt are measured on it;
///   otherwise a policy whose victims stop slowly would lose more of them. It also leaves out what
///   is held for blocked jobs (O7): a waiting job gives no right to preempt others of its policy.
public abstract sealed class Account permits PolicyAccount, DepartmentAccount, TenantAccount {
  private long live;
  private long stopping;
  private long held;
  private long heldForBlocked;
  private long nonPreemptible;
  private long version;

  public abstract long reservation();

  public abstract long limit();

  /// Names it.
  public abstract PastUse.Level level();

  /// Divides over-reservation usage in comparisons of shares (O4).
  abstract int weight();

  /// The part of the usage that reservations protect, measured on the usage without stopping: of a
  /// policy the smaller of its usage and its reservation, of a higher level the sum of its
  /// policies'.
  public abstract long protectedUsage();

  /// The usage of attempts, including those that stop.
  public long used() {
    return live + stopping;
  }

  public long stopping() {
    return stopping;
  }

  /// The capacity held for waiting jobs.
  public long held() {
    return held + heldForBlocked;
  }

  /// Keeps so much more for jobs whose attempts still stop, and that return to their old places
  /// (O5); negative: less. Their claims are those of the attempts.
  void addReturning(long units) {
    addHeld(units, false);
  }

  long heldForBlocked() {
    return heldForBlocked;
  }

  public long charged() {
    return live + Math.max(stopping, held());
  }

  /// Like charged, without capacity held for blocked jobs (O7).
  public long chargedBesideBlocked() {
    return live + Math.max(stopping, held);
  }

  public long usageWithoutStopping() {
    return live + held;
  }

  /// The usage of non-preemptible jobs and of holds for them (A8).
  public long nonPreemptible() {
    return nonPreemptible;
  }

  /// Changes with the usage, so that values derived from it can be recognised as outdated.
  public long version() {
    return version;
  }

  void changed() {
    version++;
  }

  /// Over-reservation usage, measured on the usage without stopping.
  ///
  /// @param taken units that a search has taken from the account
  public long over(long taken) {
    return Math.max(0, usageWithoutStopping() - taken - reservation());
  }

  /// Whether usage is above the reservation, so that attempts may be victims (P2).
  public boolean isAboveReservation() {
    return over(0) > 0;
  }

  /// Whether everything that counts, holds of blocked jobs too, leaves room in the limit.
  ///
  /// @param need of the job; a job that needs no GPU always has room in the limit of a department
  ///   or tenant
  boolean leavesRoom(long need) {
    return need == 0 || need <= limit() - charged();
  }

  /// An attempt begins, or resumes after a suspension.
  public void start(Claim claim) {
    version++;
    live += claim.units();
    charge(claim, 1);
  }

  /// An attempt was asked to stop.
  public void stop(Claim claim) {
    version++;
    live -= claim.units();
    stopping += claim.units();
  }

  /// An attempt has ended, or is suspended.
  public void end(Claim claim, boolean wasStopping) {
    version++;
    if (wasStopping) {
      stopping -= claim.units();
    } else {
      live -= claim.units();
    }
    charge(claim, -1);
  }

  /// Adds a hold for a job.
  ///
  /// @param forBlocked under O7
  public void hold(Claim claim, boolean forBlocked) {
    addHeld(claim.units(), forBlocked);
    charge(claim, 1);
  }

  /// A hold is over.
  ///
  /// @param forBlocked under O7
  public void release(Claim claim, boolean forBlocked) {
    addHeld(-claim.units(), forBlocked);
    charge(claim, -1);
  }

  /// Counts what the other account counts as well.
  void include(Account member) {
    version++;
    live += member.live;
    stopping += member.stopping;
    held += member.held;
    heldForBlocked += member.heldForBlocked;
    nonPreemptible += member.nonPreemptible;
  }

  /// Forgets everything that was counted.
  void reset() {
    version++;
    live = 0;
    stopping = 0;
    held = 0;
    heldForBlocked = 0;
    nonPreemptible = 0;
  }

  private void addHeld(long units, boolean forBlocked) {
    version++;
    if (forBlocked) {
      heldForBlocked += units;
    } else {
      held += units;
    }
  }

  /// Counts a claim in or out.
  ///
  /// @param sign 1 or -1
  void charge(Claim claim, int sign) {
    if (!claim.preemptible()) {
      nonPreemptible += sign * claim.units();
    }
  }
}
