package io.headgate.scheduler.core.rights;

import java.util.ArrayList;
import java.util.List;

/// The answer of the levels above a policy to a job of it without certain attempts, once everything
/// that stops has stopped (P1): whether their limits have room, and whether the job is entitled.
///
/// A level that has room as things stand has room whatever is removed.
public final class LevelRoom {
  private final long need;

  /// The levels whose limits leave no room as things stand.
  private final List<Account> full = new ArrayList<>(0);

  /// The levels that keep the job from being entitled as things stand.
  private final List<Account> denying = new ArrayList<>(0);

  private final RemovedUsage removals = new RemovedUsage();

  /// @param need units of GPU that the job needs
  public LevelRoom(UpperLevels levels, long need) {
    this.need = need;
    DepartmentAccount department = levels.department();
    for (DepartmentAccount each = department; each != null; each = each.above()) {
      addIfInTheWay(each);
    }
    if (levels.tenant().isBound()) {
      addIfInTheWay(levels.tenant());
    }
  }

  private void addIfInTheWay(Account account) {
    if (exceedsLimit(account)) {
      full.add(account);
    }
    if (exceedsReservation(account)) {
      denying.add(account);
    }
  }

  private boolean exceedsReservation(Account account) {
    return account.protectedUsage() - removals.protectedUnits(account) + need
        > account.reservation();
  }

  /// Capacity held for blocked jobs counts as used (O7).
  private boolean exceedsLimit(Account account) {
    return need > 0
        && account.usageWithoutStopping() + account.heldForBlocked() - removals.units(account)
            > account.limit() - need;
  }

  /// Counts an attempt as removed, or as there again if the units are negative.
  public void remove(Levels victim, long units) {
    if (!full.isEmpty() || !denying.isEmpty()) {
      removals.path(victim).remove(units);
    }
  }

  /// Whether the limit of some level has no room.
  public boolean isAboveLimit() {
    for (Account account : full) {
      if (exceedsLimit(account)) {
        return true;
      }
    }
    return false;
  }

  /// Whether the job is entitled as far as these levels go.
  public boolean isEntitled() {
    for (Account account : denying) {
      if (exceedsReservation(account)) {
        return false;
      }
    }
    return true;
  }

  /// Whether victims in other pools may help as well: a department is in the way.
  ///
  /// @param mustBeEntitled whether the job must be entitled
  public boolean isDeniedEverywhere(boolean mustBeEntitled) {
    return full.stream().anyMatch(DepartmentAccount.class::isInstance)
        || (mustBeEntitled && denying.stream().anyMatch(DepartmentAccount.class::isInstance));
  }
}
