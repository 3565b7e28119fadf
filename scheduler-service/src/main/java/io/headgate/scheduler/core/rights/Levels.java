package io.headgate.scheduler.core.rights;

import java.util.Optional;

/// The levels of rights of one job (A3): its policy, the departments above that, and its tenant in
/// one pool. The tenant counts only where tenants share the pool.
///
/// A job's standing follows from all its levels, with its need counted in:
///
/// | standing | condition |
/// |---|---|
/// | entitled | the policy's usage is within its reservation, and the protected usage of every level above is within that level's |
/// | above the limit | otherwise, if the usage of some level exceeds its limit |
/// | lent | otherwise, if some department's usage is within its reservation |
/// | over-reservation | otherwise |
///
/// So a standing only gets worse as usage grows. The limit comes before *lent*: a job that exceeds
/// a limit goes first, also where a department has room.
///
/// Department D reserves 8. Its policies A and B reserve 4 each, and B is idle. A uses 6: two of
/// its GPUs are lent by B, as D has room. Once B uses 3, D uses 9, and A's jobs are
/// over-reservation. B stays entitled: the protected usage of D is 4 + 3.
///
/// @param tenant of the policy, in the pool
public record Levels(PolicyAccount policy, TenantAccount tenant) {
  /// An attempt begins, or resumes after a suspension.
  public void start(Claim claim) {
    long before = policy.protectedUsage();
    policy.start(claim);
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      each.start(claim);
    }
    tenant.start(claim);
    count(before, claim.units());
  }

  /// An attempt was asked to stop.
  public void stop(Claim claim) {
    long before = policy.protectedUsage();
    policy.stop(claim);
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      each.stop(claim);
    }
    tenant.stop(claim);
    count(before, -claim.units());
  }

  /// An attempt has ended, or is suspended.
  public void end(Claim claim, boolean wasStopping) {
    long before = policy.protectedUsage();
    policy.end(claim, wasStopping);
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      each.end(claim, wasStopping);
    }
    tenant.end(claim, wasStopping);
    count(before, wasStopping ? 0 : -claim.units());
  }

  /// Adds a hold for a job.
  ///
  /// @param forBlocked under O7
  public void hold(Claim claim, boolean forBlocked) {
    long before = policy.protectedUsage();
    policy.hold(claim, forBlocked);
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      each.hold(claim, forBlocked);
    }
    tenant.hold(claim, forBlocked);
    count(before, forBlocked ? 0 : claim.units());
  }

  /// A hold is over.
  ///
  /// @param forBlocked under O7
  public void release(Claim claim, boolean forBlocked) {
    long before = policy.protectedUsage();
    policy.release(claim, forBlocked);
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      each.release(claim, forBlocked);
    }
    tenant.release(claim, forBlocked);
    count(before, forBlocked ? 0 : -claim.units());
  }

  /// Keeps so much more for jobs that return to their old places (O5); negative: less.
  public void addReturning(long units) {
    long before = policy.protectedUsage();
    policy.addReturning(units);
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      each.addReturning(units);
    }
    tenant.addReturning(units);
    count(before, units);
  }

  private void count(long protectedBefore, long units) {
    long more = policy.protectedUsage() - protectedBefore;
    if (more != 0) {
      for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
        each.addProtected(more);
      }
    }
    tenant.count(policy, units);
  }

  /// Whether a job of this need would be entitled (O1, P1, A5).
  public boolean isEntitled(long need) {
    return isEntitledBelowTenant(policy, need)
        && (!tenant.isBound() || isWithinReservation(tenant, need));
  }

  /// As [#isEntitled], whatever the tenant reserves in a pool.
  public static boolean isEntitledBelowTenant(PolicyAccount policy, long need) {
    if (!policy.isEntitled(need)) {
      return false;
    }
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (!isWithinReservation(each, need)) {
        return false;
      }
    }
    return true;
  }

  /// Whether a job leaves the level within its reservation, as far as protected usage goes.
  ///
  /// @param need of an entitled job of a policy below
  public static boolean isWithinReservation(Account above, long need) {
    return above.protectedUsage() + need <= above.reservation();
  }

  /// The standing of a waiting job with its need counted in.
  public Standing standingWith(long need) {
    if (isEntitled(need)) {
      return Standing.ENTITLED;
    }
    return policy.hasRoom(need)
            && hasRoomAbove(policy, need)
            && (!tenant.isBound() || tenant.leavesRoom(need))
        ? notEntitled(policy, need)
        : Standing.ABOVE_LIMIT;
  }

  /// As [#standingWith], whatever the tenant reserves in a pool.
  public static Standing standingBelowTenant(PolicyAccount policy, long need) {
    if (isEntitledBelowTenant(policy, need)) {
      return Standing.ENTITLED;
    }
    return policy.hasRoom(need) && hasRoomAbove(policy, need)
        ? notEntitled(policy, need)
        : Standing.ABOVE_LIMIT;
  }

  /// As [#standingBelowTenant], of a job whose limits leave room or will.
  public static Standing standingWithinLimits(PolicyAccount policy, long need) {
    return isEntitledBelowTenant(policy, need) ? Standing.ENTITLED : notEntitled(policy, need);
  }

  private static Standing notEntitled(PolicyAccount policy, long need) {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (each.usageWithoutStopping() + need <= each.reservation()) {
        return Standing.LENT;
      }
    }
    return Standing.OVER_RESERVATION;
  }

  /// Whether the limits of the departments leave room for a job of this need (A3).
  public static boolean hasRoomAbove(PolicyAccount policy, long need) {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (!each.leavesRoom(need)) {
        return false;
      }
    }
    return true;
  }

  /// The department whose limit leaves no room for a job of this need, the lowest first; empty: all
  /// do.
  public static Optional<DepartmentAccount> full(PolicyAccount policy, long need) {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (!each.leavesRoom(need)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /// The department that keeps a job from being entitled, the lowest first; empty: none does.
  public static Optional<DepartmentAccount> denying(PolicyAccount policy, long need) {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (!isWithinReservation(each, need)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /// The department whose reservation has no room for a non-preemptible job beside the others (A8),
  /// the lowest first; empty: all have.
  public static Optional<DepartmentAccount> denyingNonPreemptible(PolicyAccount policy, long need) {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (need > 0 && each.nonPreemptible() + need > each.reservation()) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /// Whether some department's limit would leave no room even if blocked jobs held nothing.
  public static boolean isAboveSomeLimitBesideBlocked(PolicyAccount policy, long need) {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (need > 0 && need > each.limit() - each.chargedBesideBlocked()) {
        return true;
      }
    }
    return false;
  }

  /// Whether the use of attempts, stopping ones included, leaves room in the limits above the
  /// policy.
  public boolean leaveRoomBesideUse(long need) {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (need > each.limit() - each.used()) {
        return false;
      }
    }
    return need <= tenant.limit() - tenant.used();
  }

  /// Whether no level above the policy is above its limit.
  public boolean keepLimitsAbove() {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (each.usageWithoutStopping() > each.limit()) {
        return false;
      }
    }
    return tenant.usageWithoutStopping() <= tenant.limit();
  }

  /// Whether the non-preemptible jobs that there are stay within the reservation of each level
  /// (A8).
  public boolean keepNonPreemptible() {
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (each.nonPreemptible() > each.reservation()) {
        return false;
      }
    }
    return policy.nonPreemptible() <= policy.reservation() && tenant.keepsNonPreemptible();
  }

  /// Whether the policy is below the department.
  public boolean isBelow(DepartmentAccount department) {
    DepartmentAccount each = policy.above();
    while (each != null && each != department) {
      each = each.above();
    }
    return each != null;
  }

  /// Whether some level is above its reservation, so that attempts may be victims (P2).
  public boolean isSomeAboveReservation() {
    if (policy.isAboveReservation() || tenant.isAboveReservation()) {
      return true;
    }
    for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
      if (each.isAboveReservation()) {
        return true;
      }
    }
    return false;
  }
}
