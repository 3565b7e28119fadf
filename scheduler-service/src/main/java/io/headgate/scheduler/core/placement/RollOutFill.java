package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.placement.policy.PackingModel;
import io.headgate.scheduler.core.placement.policy.Space;
import io.headgate.scheduler.core.placement.policy.TaskMix;
import org.jspecify.annotations.Nullable;

/// Places a job where the node loses least of its remaining value, gangs and scarce models
/// protected by prices.
///
/// A worker gains its size and costs the fall of the node's roll-out fill; so a place into which no
/// other task would have fitted is free. Its cost also includes the fall of the node's protection
/// of gangs and, for a scarce model, the model's price. Among devices with different free parts the
/// best is taken.
final class RollOutFill implements Rater {
  private final PackingModel packing;

  RollOutFill(TaskMix mix) {
    packing = new PackingModel(mix);
  }

  /// The spaces that each choice of a device would leave; their cost changes with the prices.
  private final class Places implements Rating {
    private final Space before;
    private final Space[] after;
    private final int[] devices;

    /// The devices, as the space counts them.
    private final int[] priced;

    private final long units;
    private final long tie;
    private int edition = -1;
    private int best;
    private double cost;

    Places(Space before, Space[] after, int[] devices, int[] priced, long units, long tie) {
      this.before = before;
      this.after = after;
      this.devices = devices;
      this.priced = priced;
      this.units = units;
      this.tie = tie;
    }

    @Override
    public double cost() {
      if (edition != packing.edition()) {
        edition = packing.edition();
        choose();
      }
      return cost;
    }

    private void choose() {
      cost = Double.POSITIVE_INFINITY;
      for (int i = 0; i < after.length; i++) {
        double lost = packing.fill(before) - packing.fill(after[i]);
        double spoilt = packing.protection(before) - packing.protection(after[i]);
        double price = units == 0 ? 0 : units * packing.modelPrice(before, priced[i]);
        double sum = (lost + spoilt + price) / UNITS_PER_GPU;
        if (sum < cost) {
          cost = sum;
          best = i;
        }
      }
    }

    @Override
    public long tie() {
      return tie;
    }

    @Override
    public int device() {
      cost();
      return devices[best];
    }
  }

  @Override
  public boolean usesMix() {
    return true;
  }

  @Override
  public Rating rate(Shape shape, FreeState state) {
    Space before = state.space(packing);
    int[] devices = state.devicesFor(shape);
    Space[] after = new Space[shape.isFraction() ? devices.length : 1];
    if (shape.isFraction()) {
      for (int i = 0; i < devices.length; i++) {
        after[i] = state.spaceWithout(packing, before, shape, devices[i]);
      }
    } else {
      after[0] = state.spaceWithoutWhole(packing, before, shape, devices);
    }
    return new Places(
        before,
        after,
        devices,
        state.spaceIndexes(devices),
        shape.units(),
        TightestFit.tie(shape, state));
  }

  @Override
  public void moved(@Nullable FreeState from, @Nullable FreeState to) {
    if (from != null) {
      packing.remove(from.space(packing));
    }
    if (to != null) {
      packing.add(to.space(packing));
    }
  }

  @Override
  public int edition() {
    return packing.edition();
  }
}
