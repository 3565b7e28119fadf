package io.headgate.scheduler.core.rights;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The usage that a search for victims has removed, as if the accounts had lost it. The accounts
/// themselves stay as they are.
public final class RemovedUsage {
  private static final class Loss {
    long units;
    long protectedUnits;
  }

  private final Map<Account, Loss> losses = new HashMap<>();
  private final Map<Levels, Path> paths = new HashMap<>();

  /// The levels of the jobs of one policy in one pool, seen without the removed usage.
  public Path path(Levels levels) {
    return paths.computeIfAbsent(levels, Path::new);
  }

  private Loss loss(Account account) {
    return losses.computeIfAbsent(account, key -> new Loss());
  }

  /// The levels of the jobs of one policy in one pool. Units are removed at all of them.
  public final class Path {
    private final PolicyAccount policy;
    private final TenantAccount tenant;
    private final Loss ofPolicy;

    /// The departments, the lowest first.
    private final List<DepartmentAccount> departments = new ArrayList<>(0);

    private final List<Loss> ofDepartments = new ArrayList<>(0);

    /// Null: tenants do not share the pool.
    private final @Nullable Loss ofTenant;

    /// The units of the policy in the pool.
    private long inPool;

    private Path(Levels levels) {
      policy = levels.policy();
      tenant = levels.tenant();
      ofPolicy = loss(policy);
      for (DepartmentAccount each = policy.above(); each != null; each = each.above()) {
        departments.add(each);
        ofDepartments.add(loss(each));
      }
      ofTenant = tenant.isBound() ? loss(tenant) : null;
    }

    /// A running job of this need is removed, or put back if the need is negative.
    public void remove(long units) {
      if (!departments.isEmpty()) {
        long usage = policy.usageWithoutStopping() - ofPolicy.units;
        long lost = protectedLoss(usage, units);
        for (Loss each : ofDepartments) {
          each.units += units;
          each.protectedUnits += lost;
        }
      }
      ofPolicy.units += units;
      if (ofTenant != null) {
        ofTenant.units += units;
        ofTenant.protectedUnits += protectedLoss(tenant.usageOf(policy) - inPool, units);
        inPool += units;
      }
    }

    private long protectedLoss(long usage, long units) {
      return Math.min(usage, policy.reservation()) - Math.min(usage - units, policy.reservation());
    }

    /// The sum of the units that were removed from the levels: it grows with each removal.
    public long removed() {
      long units = ofPolicy.units;
      for (Loss each : ofDepartments) {
        units += each.units;
      }
      return ofTenant == null ? units : units + ofTenant.units;
    }

    /// The standing of the jobs that are left (O1).
    public Standing standing() {
      if (!isUnentitledUpTo(departments.size() + 1)) {
        return Standing.ENTITLED;
      }
      if (left(policy, ofPolicy) > policy.limit()
          || (ofTenant != null && left(tenant, ofTenant) > tenant.limit())) {
        return Standing.ABOVE_LIMIT;
      }
      boolean lent = false;
      for (int i = 0; i < departments.size(); i++) {
        DepartmentAccount each = departments.get(i);
        long usage = left(each, ofDepartments.get(i));
        if (usage > each.limit()) {
          return Standing.ABOVE_LIMIT;
        }
        lent |= usage <= each.reservation();
      }
      return lent ? Standing.LENT : Standing.OVER_RESERVATION;
    }

    /// Fills in the share of the tenant; 0 where tenants do not share the pool (O4).
    public void shareOfTenant(ShareList list, Standing standing) {
      list.clear();
      if (ofTenant == null) {
        list.addZero();
      } else {
        list.addWithout(tenant, standing, ofTenant.units, tenant.history());
      }
    }

    /// Fills in the shares of the departments, the highest first, and of the policy (O4).
    public void sharesWithin(ShareList list, Standing standing) {
      list.clear();
      UseHistory history = tenant.history();
      for (int i = departments.size() - 1; i >= 0; i--) {
        list.addWithout(departments.get(i), standing, ofDepartments.get(i).units, history);
      }
      list.addWithout(policy, standing, ofPolicy.units, history);
    }

    /// The level directly below the lowest one that a victim here and a preemptor share: 0 is the
    /// policy, then come the departments, the lowest first, then the tenant (P2).
    ///
    /// @param preemptor of another policy, with a place in this pool or in another one
    public int unitBeside(UpperLevels preemptor) {
      if (!isOfSameTenant(preemptor.tenant())) {
        return ofTenant == null ? departments.size() : departments.size() + 1;
      }
      int unit = 0;
      while (unit < departments.size() && !preemptor.isUnder(departments.get(unit))) {
        unit++;
      }
      return unit;
    }

    /// As [#unitBeside(UpperLevels)], of a job with these levels beside one with others.
    int unitBeside(Path other) {
      if (!isOfSameTenant(other.tenant)) {
        return ofTenant == null ? departments.size() : departments.size() + 1;
      }
      int unit = 0;
      while (unit < departments.size() && !other.departments.contains(departments.get(unit))) {
        unit++;
      }
      return unit;
    }

    /// The over-reservation usage of a level that is left, with this much more.
    long over(int unit, long more) {
      return Math.max(0, left(account(unit), lossOf(unit)) + more - account(unit).reservation());
    }

    /// Whether it belongs to another tenant, in a pool that tenants share.
    public boolean isOfOtherTenant(UpperLevels preemptor) {
      return ofTenant != null && !isOfSameTenant(preemptor.tenant());
    }

    /// A tenant has an account in each pool.
    private boolean isOfSameTenant(TenantAccount other) {
      return tenant == other || tenant.tenant().equals(other.tenant());
    }

    /// Whether the account is one of its levels.
    public boolean has(Account account) {
      return account == policy || account == tenant || departments.contains(account);
    }

    /// The account of a unit.
    public Account account(int unit) {
      if (unit == 0) {
        return policy;
      }
      return unit <= departments.size() ? departments.get(unit - 1) : tenant;
    }

    private Loss lossOf(int unit) {
      if (unit == 0) {
        return ofPolicy;
      }
      return unit <= departments.size()
          ? ofDepartments.get(unit - 1)
          : Objects.requireNonNull(ofTenant);
    }

    /// Whether a job is a permitted victim just now: the unit uses more than it reserves, and the
    /// job is not entitled as far as the levels up to the unit go (P2).
    public boolean mayLose(int unit) {
      return left(account(unit), lossOf(unit)) > account(unit).reservation()
          && isUnentitledUpTo(unit);
    }

    /// As [#mayLose], where neither the policy nor the unit may end below its reservation.
    ///
    /// @param units of the victim
    public boolean mayLoseAndKeep(int unit, long units) {
      return left(policy, ofPolicy) - units >= policy.reservation()
          && (unit == 0
              || left(account(unit), lossOf(unit)) - units >= account(unit).reservation());
    }

    private boolean isUnentitledUpTo(int unit) {
      if (left(policy, ofPolicy) > policy.reservation()) {
        return true;
      }
      for (int i = 0; i < Math.min(unit, departments.size()); i++) {
        if (exceeds(departments.get(i), ofDepartments.get(i))) {
          return true;
        }
      }
      return unit > departments.size() && ofTenant != null && exceeds(tenant, ofTenant);
    }

    private static boolean exceeds(Account account, Loss loss) {
      return account.protectedUsage() - loss.protectedUnits > account.reservation();
    }

    private static long left(Account account, Loss loss) {
      return account.usageWithoutStopping() - loss.units;
    }
  }

  long units(Account account) {
    Loss loss = losses.get(account);
    return loss == null ? 0 : loss.units;
  }

  long protectedUnits(Account account) {
    Loss loss = losses.get(account);
    return loss == null ? 0 : loss.protectedUnits;
  }
}
