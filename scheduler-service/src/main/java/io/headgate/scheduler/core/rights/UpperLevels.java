package io.headgate.scheduler.core.rights;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The levels above a policy: its departments, and its tenant in one pool (A3). Policies of one
/// department have equal ones.
///
/// @param department the lowest; null: the policies are directly below the tenant
public record UpperLevels(@Nullable DepartmentAccount department, TenantAccount tenant) {
  /// Whether there is a level above the policies.
  public boolean exists() {
    return department != null || tenant.isBound();
  }

  /// The tenant alone.
  public UpperLevels withoutDepartments() {
    return department == null ? this : new UpperLevels(null, tenant);
  }

  /// The first level that keeps a job from being entitled, as things stand; null: none does.
  ///
  /// @param need units of GPU of a job whose policy is within its reservation
  public @Nullable Account denying(long need) {
    for (DepartmentAccount each = department; each != null; each = each.above()) {
      if (!Levels.isWithinReservation(each, need)) {
        return each;
      }
    }
    return tenant.isBound() && !Levels.isWithinReservation(tenant, need) ? tenant : null;
  }

  /// The units of GPU that the limit of each level leaves, beginning with the lowest. Capacity held
  /// for blocked jobs counts as used (O7).
  public List<Long> roomInLimits() {
    if (!exists()) {
      return List.of();
    }
    List<Long> rooms = new ArrayList<>();
    for (DepartmentAccount each = department; each != null; each = each.above()) {
      rooms.add(roomInLimit(each));
    }
    rooms.add(roomInLimit(tenant));
    return rooms;
  }

  private static long roomInLimit(Account account) {
    return account.limit() - account.usageWithoutStopping() - account.heldForBlocked();
  }

  /// Whether the department is one of them.
  boolean isUnder(DepartmentAccount one) {
    for (DepartmentAccount each = department; each != null; each = each.above()) {
      if (each == one) {
        return true;
      }
    }
    return false;
  }
}
