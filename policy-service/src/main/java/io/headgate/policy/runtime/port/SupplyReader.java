package io.headgate.policy.runtime.port;

import io.headgate.policy.core.access.Resources;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;
import java.util.Optional;

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

  /// The half of a change that pool-service has prepared.
  ///
  /// @param resourceVersion in force with the change
  /// @param changesSupply false: the supply stays, and only rights change
  /// @param by subject of the caller that prepared it
  record Prepared(Supply supply, long resourceVersion, boolean changesSupply, String by) {}

  /// Empty if no such change is prepared for the tenant.
  Optional<Prepared> prepared(Origin origin, TenantId tenant, String change);

  Supply read(Origin origin, TenantId tenant, View view);
}
