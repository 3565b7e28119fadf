package io.headgate.kit.grpc;

import java.util.HashMap;
import java.util.Map;

/// A bound of how much may be in progress that no caller, and no tenant, can take for itself: a
/// caller may have as much as is still free, a tenant twice as much. So one who asks for all gets
/// half, a second as much as the first, and there is always room for somebody new.
///
/// The rule is that of dynamic thresholds for queues that share a buffer (Choudhury and Hahne,
/// 1998). Thread-safe.
final class FairBound {
  private final long most;
  private final Map<String, Long> callers = new HashMap<>();
  private final Map<String, Long> tenants = new HashMap<>();
  private long inProgress;

  /// @param most how much may be in progress in all, one or more
  FairBound(long most) {
    this.most = most;
  }

  /// Whether so much of `caller` may begin; if so it has to [leave][#leave].
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

  /// The first always has one, or bounds of one and two would let nobody in.
  private static boolean hasShare(long own, long amount, long share) {
    return own == 0 || own + amount <= share;
  }
}
