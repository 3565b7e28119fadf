package io.headgate.kit.grpc;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// A bound on concurrent use that no caller and no tenant can exhaust alone. A caller may have as
/// much as is still free, a tenant twice as much. A caller that asks for everything gets half, and
/// the next caller half of the rest, so that a new caller always finds room. The same holds among
/// the callers of a tenant with a limit of its own. Fixed limits may be lower.
///
/// The rule is that of dynamic thresholds for queues that share a buffer (Choudhury and Hahne,
/// 1998). Thread-safe.
public final class FairBound {
  private final Limits limits;
  private final Map<String, Long> connections = new HashMap<>();
  private final Map<String, Long> callers = new HashMap<>();
  private final Map<String, Long> tenants = new HashMap<>();
  private long inProgress;

  /// Fixed limits, each at least 1.
  public record Limits(long total, long perTenant, long perCaller, long perConnection) {
    public Limits {
      if (total < 1 || perTenant < 1 || perCaller < 1 || perConnection < 1) {
        throw new IllegalArgumentException(
            "limits are at least 1, not %d, %d, %d and %d"
                .formatted(total, perTenant, perCaller, perConnection));
      }
    }

    /// Only the total is fixed.
    public static Limits ofTotal(long total) {
      return new Limits(total, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    }
  }

  /// Why an amount was refused.
  ///
  /// @param holder what holds too much: `the server`, `tenant acme`, `tenants/acme/users/ada`, `the
  ///   connection`
  /// @param held what it holds already
  /// @param most what it may hold now
  public record Excess(String holder, long held, long most) {}

  /// @param most upper bound, at least 1
  public FairBound(long most) {
    this(Limits.ofTotal(most));
  }

  public FairBound(Limits limits) {
    this.limits = limits;
  }

  /// Takes `amount` for `caller`, if it may; then the caller must [leave][#leave].
  boolean enter(String caller, String tenant, long amount) {
    return enter(new CallOrigin("", caller, tenant), amount).isEmpty();
  }

  void leave(String caller, String tenant, long amount) {
    leave(new CallOrigin("", caller, tenant), amount);
  }

  /// Takes `amount`, if it may; then the origin must [leave][#leave].
  ///
  /// @return why not; empty: it is taken
  public synchronized Optional<Excess> enter(CallOrigin origin, long amount) {
    Optional<Excess> excess = excess(origin, amount);
    if (excess.isEmpty()) {
      inProgress += amount;
      callers.merge(origin.caller(), amount, Long::sum);
      tenants.merge(origin.tenant(), amount, Long::sum);
      if (!origin.connection().isEmpty()) {
        connections.merge(origin.connection(), amount, Long::sum);
      }
    }
    return excess;
  }

  /// Gives back `amount`.
  public synchronized void leave(CallOrigin origin, long amount) {
    inProgress -= amount;
    give(callers, origin.caller(), amount);
    give(tenants, origin.tenant(), amount);
    give(connections, origin.connection(), amount);
  }

  /// The use of all together.
  public synchronized long inProgress() {
    return inProgress;
  }

  private Optional<Excess> excess(CallOrigin origin, long amount) {
    long free = limits.total() - inProgress;
    if (amount > free) {
      return Optional.of(new Excess("the server", inProgress, limits.total()));
    }
    long ofTenant = tenants.getOrDefault(origin.tenant(), 0L);
    long tenantMay = Math.min(limits.perTenant(), first(ofTenant, 2 * free, amount));
    if (ofTenant + amount > tenantMay) {
      return Optional.of(new Excess(tenant(origin), ofTenant, tenantMay));
    }
    long ofCaller = callers.getOrDefault(origin.caller(), 0L);
    long share = Math.min(free, limits.perTenant() - ofTenant);
    long callerMay = Math.min(limits.perCaller(), first(ofCaller, share, amount));
    if (ofCaller + amount > callerMay) {
      return Optional.of(new Excess(caller(origin), ofCaller, callerMay));
    }
    long ofConnection = connections.getOrDefault(origin.connection(), 0L);
    return !origin.connection().isEmpty() && ofConnection + amount > limits.perConnection()
        ? Optional.of(new Excess("the connection", ofConnection, limits.perConnection()))
        : Optional.empty();
  }

  /// The first use is always allowed; otherwise bounds of 1 and 2 would admit no caller. An
  /// operator belongs to no tenant and counts as one of its own.
  private static String tenant(CallOrigin origin) {
    return origin.tenant().equals(origin.caller()) ? caller(origin) : "tenant " + origin.tenant();
  }

  private static String caller(CallOrigin origin) {
    return origin.caller().isEmpty() ? "the group of callers without a token" : origin.caller();
  }

  private static long first(long own, long share, long amount) {
    return own == 0 ? Math.max(share, amount) : share;
  }

  private static void give(Map<String, Long> shares, String name, long amount) {
    shares.computeIfPresent(name, (_, own) -> own == amount ? null : own - amount);
  }
}
