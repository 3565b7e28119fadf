package io.headgate.scheduler.core.ledger;

/// A pool's GPU units at one time, in 1/126000 GPU: capacity = used + held + idle + down.
///
/// @param capacity of the devices of its nodes, in service or not
/// @param used by attempts, by right
/// @param held free, and kept for a waiting job
/// @param idle free
/// @param unusable the part of `idle` that no profile can use at present
/// @param down on nodes or devices that take no work, and unused
public record PoolBalance(
    long capacity, Split used, long held, long idle, long unusable, long down) {
  public static final PoolBalance NOTHING = new PoolBalance(0, Split.NONE, 0, 0, 0, 0);

  /// Whether the parts make up the capacity.
  public boolean closes() {
    return capacity == used.units() + held + idle + down;
  }
}
