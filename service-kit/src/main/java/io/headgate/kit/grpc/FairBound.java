package io.headgate.kit.grpc;

import java.util.HashMap;
import java.util.Map;

/// A bound on concurrent use that no caller and no tenant can exhaust alone. A caller may have as
/// much as is still free, a tenant twice as much. A caller that asks for everything gets half, and
/// the next caller half of the rest, so that a new caller always finds room.
///
/// The rule is that of dynamic thresholds for queues that share a buffer (Choudhury and Hahne,
/// 1998). Thread-safe.
final class FairBound {
  private final long most;
  private final Map<String, Long> callers = new HashMap<>();
  private final Map<String, Long> tenants = new HashMap<>();
  private long inProgress;

  /// @param most upper bound, at least 1
  FairBound(long most) {
    this.most = most;
  }

  /// Takes `amount` for `caller`, if it may; then the caller must [leave][#leave].
  synchronized boolean enter(String caller, String tenant, long amount) {
    long free = most - inProgress;
    if (amount > free
        || !hasShare(callers.getOrDefault(caller, 0L), amount, free)
        || !hasShare(tenants.getOrDefault(tenant, 0L), amount, 2 * free)) {
      return false;
    }
    inProgress += amount;
    callers.merge(caller, amount, Long::sum);
    tenants.merge(tenant, amount, Long::sum);
    return true;
  }

  synchronized void leave(String caller, String tenant, long amount) {
    inProgress -= amount;
    callers.computeIfPresent(caller, (_, own) -> own == amount ? null : own - amount);
    tenants.computeIfPresent(tenant, (_, own) -> own == amount ? null : own - amount);
  }

  /// The first use is always allowed; otherwise bounds of 1 and 2 would admit no caller.
  private static boolean hasShare(long own, long amount, long share) {
    return own == 0 || own + amount <= share;
  }
}
