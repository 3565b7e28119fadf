package io.headgate.scheduler.core.rights;

/// Whether shares permit that a job takes places from others (P10). Shares are over-reservation
/// usage divided by weight, at the highest level at which the levels of the two jobs differ. The
/// victim's share is the larger one, and without the victims it is not smaller than the other one
/// with the job.
///
/// With weights of 1, a policy above its reservation by 4 may lose 2 jobs of 1 to one that is at
/// its reservation, one after the other. A third would leave it a smaller share than the other one
/// has.
public final class FairExchange {
  private final RemovedUsage removals = new RemovedUsage();
  private final RemovedUsage nothing = new RemovedUsage();
  private final Levels mine;
  private final long need;

  /// @param mine the levels of the job that takes places
  /// @param need units of GPU that it needs
  public FairExchange(Levels mine, long need) {
    this.mine = mine;
    this.need = need;
  }

  /// Counts an attempt as removed, or as there again if the units are negative.
  public void remove(Levels levels, long units) {
    removals.path(levels).remove(units);
  }

  /// Whether the share of a victim's level is larger as things stand.
  public boolean isLarger(Levels theirs) {
    return compare(nothing, theirs, 0, 0) > 0;
  }

  /// Whether it is not smaller after the exchange.
  ///
  /// @param units of a further victim with these levels
  public boolean staysAsLarge(Levels theirs, long units) {
    return compare(removals, theirs, units, need) >= 0;
  }

  private int compare(RemovedUsage without, Levels theirs, long units, long more) {
    RemovedUsage.Path victim = without.path(theirs);
    RemovedUsage.Path own = without.path(mine);
    int unit = victim.unitBeside(own);
    int ownUnit = own.unitBeside(victim);
    return Long.compare(
        victim.over(unit, -units) * own.account(ownUnit).weight(),
        own.over(ownUnit, more) * victim.account(unit).weight());
  }
}
