package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.type.GpuQuantity;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One department's rights and usage over all its pools, in units of 1/126000 GPU (A3). Its usage
/// is that of the policies below it.
///
/// Without a reservation of its own it reserves the sum of its members' reservations.
public final class DepartmentAccount extends Account {
  private static final long NO_LIMIT = Long.MAX_VALUE;

  private final DepartmentId id;
  private final PastUse.Level level;
  private long reservation;
  private long limit = NO_LIMIT;
  private int weight = 1;
  private @Nullable DepartmentAccount parent;

  /// How many departments are above it.
  private int depth;

  private long protectedUsage;

  DepartmentAccount(DepartmentId id) {
    this.id = id;
    this.level = new PastUse.Level.OfDepartment(id);
  }

  public DepartmentId id() {
    return id;
  }

  /// Takes the configuration; nothing is counted any more.
  ///
  /// @param above null: it is directly below the tenant
  void configure(Department department, @Nullable DepartmentAccount above) {
    reset();
    protectedUsage = 0;
    limit = department.limit().map(GpuQuantity::units).orElse(NO_LIMIT);
    weight = department.weight();
    parent = above;
    depth = above == null ? 0 : above.depth + 1;
  }

  /// Takes the units that it reserves, by its own configuration or by that of its members.
  void reserve(long units) {
    reservation = units;
  }

  /// The department that it belongs to.
  public Optional<DepartmentAccount> parent() {
    return Optional.ofNullable(parent);
  }

  @Nullable DepartmentAccount above() {
    return parent;
  }

  int depth() {
    return depth;
  }

  /// Whether there is a most that it may use.
  public boolean isLimited() {
    return limit != NO_LIMIT;
  }

  @Override
  public long reservation() {
    return reservation;
  }

  /// [Long#MAX_VALUE] when there is none.
  @Override
  public long limit() {
    return limit;
  }

  @Override
  public PastUse.Level level() {
    return level;
  }

  @Override
  int weight() {
    return weight;
  }

  @Override
  public long protectedUsage() {
    return protectedUsage;
  }

  void addProtected(long units) {
    protectedUsage += units;
  }

  /// Counts a policy that is now below it.
  void include(PolicyAccount policy) {
    super.include(policy);
    protectedUsage += policy.protectedUsage();
  }

  @Override
  public String toString() {
    return id.toString();
  }
}
