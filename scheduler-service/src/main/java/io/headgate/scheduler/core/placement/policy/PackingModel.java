package io.headgate.scheduler.core.placement.policy;

import java.util.HashMap;
import java.util.Map;

/// Rates the free capacity of one pool's nodes by a mix of tasks: the potential of each node, and
/// the scarcity of CPU, of room for gangs and of models.
///
/// Confined to one thread. Its answers depend on the mix and on the spaces added, not on earlier
/// questions.
public final class PackingModel {
  /// The number of remembered spaces, about 100 MiB, above which all are forgotten.
  private static final int MAX_KNOWN = 400_000;

  private final TaskTable tasks;
  private final NodePotential fill;
  private final StrandedUnits stranded;
  private final PoolTotals totals;
  private final Map<Space, Space> known = new HashMap<>();
  private Prices prices;
  private boolean totalsChanged = true;
  private int edition;

  public PackingModel(TaskMix mix) {
    tasks = new TaskTable(mix);
    fill = new NodePotential(tasks);
    stranded = new StrandedUnits(tasks);
    totals = new PoolTotals(tasks);
    prices = Prices.of(totals);
  }

  /// The free capacity of a node; one object for equal capacities while it is remembered.
  ///
  /// @param units free on each device, ascending, each above 0
  /// @param models of the devices; the space owns both arrays
  public Space space(long cpuMillis, int[] units, String[] models) {
    byte[] indexes = new byte[units.length];
    for (int i = 0; i < units.length; i++) {
      indexes[i] = tasks.modelIndex(models[i]);
    }
    return known(new Space(cpuMillis, units, indexes));
  }

  /// The space without `units` of one of its devices.
  public Space without(Space space, long cpuMillis, int device, int units) {
    return known(space.without(cpuMillis, device, units));
  }

  /// The space without these whole devices, in ascending order.
  public Space withoutWhole(Space space, long cpuMillis, int[] devices) {
    return known(space.withoutWhole(cpuMillis, devices));
  }

  private Space known(Space space) {
    Space same = known.putIfAbsent(space, space);
    if (same != null) {
      return same;
    }
    if (known.size() > MAX_KNOWN) {
      known.clear();
      known.put(space, space);
    }
    return space;
  }

  /// Units that tasks will be served of it before it is full, at the prices of the edition.
  public double fill(Space space) {
    return fill.of(space, prices.chance);
  }

  /// Units of it that are of no use to a task, on average.
  public double stranded(Space space) {
    return stranded.of(space);
  }

  /// A node with such a space takes work now.
  public void add(Space space) {
    totals.add(space, 1);
    totalsChanged = true;
  }

  /// A node with such a space has changed, or takes no more work.
  public void remove(Space space) {
    totals.add(space, -1);
    totalsChanged = true;
  }

  /// Counts how often the prices have changed.
  public int edition() {
    if (totalsChanged) {
      totalsChanged = false;
      Prices now = Prices.of(totals);
      if (!now.isSameAs(prices)) {
        prices = now;
        edition++;
      }
    }
    return edition;
  }

  /// The worth of the gangs that fit into the space, in units, at the prices of the edition.
  public double protection(Space space) {
    if (space.protectionEdition != edition) {
      space.protection = prices.protection(totals, space);
      space.protectionEdition = edition;
    }
    return space.protection;
  }

  /// The price of a unit of the device for its model, at the prices of the edition.
  public double modelPrice(Space space, int device) {
    return prices.models[space.models[device]];
  }
}
