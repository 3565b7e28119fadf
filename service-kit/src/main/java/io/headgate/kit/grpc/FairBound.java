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
  private final int most;
  private final Map<String, Integer> callers = new HashMap<>();
  private final Map<String, Integer> tenants = new HashMap<>();
  private int inProgress;

  /// @param most how much may be in progress in all, one or more
  FairBound(int most) {
    this.most = most;
  }

  /// Whether something of `caller` may begin; if so it has to [leave][#leave].
  synchronized boolean enter(String caller, String tenant) {
    int free = most - inProgress;
    if (free == 0
        || !hasShare(callers.getOrDefault(caller, 0), free)
        || !hasShare(tenants.getOrDefault(tenant, 0), 2L * free)) {
      return false;
    }
    inProgress++;
    callers.merge(caller, 1, Integer::sum);
    tenants.merge(tenant, 1, Integer::sum);
    return true;
  }

  synchronized void leave(String caller, String tenant) {
    inProgress--;
    callers.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
    tenants.computeIfPresent(tenant, (_, count) -> count == 1 ? null : count - 1);
  }

  /// The first always has one, or bounds of one and two would let nobody in.
  private static boolean hasShare(int own, long share) {
    return own == 0 || own < share;
  }
}
