package io.headgate.policy.runtime.port;

import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.Origin;

/// Asks the supply about a tenant's resource configuration, with the caller's own rights, so that
/// nobody learns through us what it may not ask itself. Blocks; not to be called in a transaction.
public interface SupplyReader {
  /// Which state of the configuration is meant.
  enum View {
    PROVISIONED,
    DRAFT
  }

  Supply read(Origin origin, TenantId tenant, View view);
}
