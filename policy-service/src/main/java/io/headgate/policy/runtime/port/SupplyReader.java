package io.headgate.policy.runtime.port;

import io.headgate.policy.core.access.Resources;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;

/// Asks the supply about a tenant's resource configuration, with the caller's own rights, so that
/// nobody learns through us what it may not ask itself. Blocks; not to be called in a transaction.
public interface SupplyReader {
  /// Which configuration is meant.
  sealed interface View {
    /// The one in force.
    record Provisioned() implements View {}

    /// The stored draft; without one, what is in force.
    record Draft() implements View {}

    /// One that the caller holds and that need not be stored; only the machines are asked for.
    record Given(Resources resources) implements View {}

    View PROVISIONED = new Provisioned();
    View DRAFT = new Draft();
  }

  Supply read(Origin origin, TenantId tenant, View view);
}
