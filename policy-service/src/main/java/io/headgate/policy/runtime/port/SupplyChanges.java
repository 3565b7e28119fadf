package io.headgate.policy.runtime.port;

import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.List;

/// Pool-service's halves of changes, with the identity of this service. It gives no caller a right:
/// what is settled was prepared and decided with the rights of admins. Blocks; do not call it in a
/// transaction.
public interface SupplyChanges {
  /// A change that is prepared at pool-service.
  record Pending(TenantId tenant, String change, Instant preparedAt) {}

  /// The prepared changes of all tenants.
  List<Pending> pending();

  /// Makes pool-service carry a decision out.
  void settle(ChangeDecision decision);
}
