package io.headgate.policy.runtime.port;

import io.headgate.policy.core.access.Resources;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;

/// Reads a tenant's resource configuration from pool-service with the caller's own rights, so that
/// the answer reveals nothing that the caller may not see. Blocks; do not call it in a transaction.
public interface SupplyReader {
  /// Selects the configuration to read.
  sealed interface View {
    /// The provisioned configuration.
    record Provisioned() implements View {}

    /// The stored draft; without a draft, the provisioned configuration.
    record Draft() implements View {}

    /// A configuration from the request, which need not be stored; only the nodes are read.
    record Given(Resources resources) implements View {}

    View PROVISIONED = new Provisioned();
    View DRAFT = new Draft();
  }

  Supply read(Origin origin, TenantId tenant, View view);
}
