package io.headgate.scheduler.core.rights;

import java.util.ArrayList;
import java.util.List;

/// Whether the levels above a policy would let a job of it start without certain attempts, once
/// everything that stops has stopped (P1). Their limits must have room. A job that preempts because
/// it is entitled must be so with exactly these attempts removed.
///
/// A job that the levels admit as things stand is admitted whatever is removed.
public final class LevelRoom {
  private final long need;
  private final boolean mustBeEntitled;
  private final List<Account> inTheWay = new ArrayList<>(0);
  private final RemovedUsage removals = new RemovedUsage();

  /// @param need units of GPU that the job needs
  /// @param mustBeEntitled whether the protected usage of each level must be within its reservation
  public LevelRoom(UpperLevels levels, long need, boolean mustBeEntitled) {
    this.need = need;
    this.mustBeEntitled = mustBeEntitled;
    DepartmentAccount department = levels.department();
    for (DepartmentAccount each = department; each != null; each = each.above()) {
      addIfInTheWay(each);
    }
    if (levels.tenant().isBound()) {
      addIfInTheWay(levels.tenant());
    }
  }

  private void addIfInTheWay(Account account) {
    if (isInTheWay(account)) {
      inTheWay.add(account);
    }
  }

  private boolean isInTheWay(Account account) {
    return exceedsLimit(account)
        || (mustBeEntitled
            && account.protectedUsage() - removals.protectedUnits(account) + need
                > account.reservation());
  }

  /// Capacity held for blocked jobs counts as used (O7).
  private boolean exceedsLimit(Account account) {
    return need > 0
        && account.usageWithoutStopping() + account.heldForBlocked() - removals.units(account)
            > account.limit() - need;
  }

  /// Counts an attempt as removed, or as there again if the units are negative.
  public void remove(Levels victim, long units) {
    if (!inTheWay.isEmpty()) {
      removals.path(victim).remove(units);
    }
  }

  /// Whether some level stands in the way.
  public boolean isDenied() {
    for (Account account : inTheWay) {
      if (isInTheWay(account)) {
        return true;
      }
    }
    return false;
  }

  /// Whether victims in other pools may help as well: a department is in the way.
  public boolean isDeniedEverywhere() {
    for (Account account : inTheWay) {
      if (account instanceof DepartmentAccount) {
        return true;
      }
    }
    return false;
  }
}
