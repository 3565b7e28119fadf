package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.Tenant;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Tenants.
public interface TenantTable {
  Optional<Tenant> find(TenantId id);

  /// Like {@link #find}, but locks the tenant until the end of the transaction. Every change within
  /// a tenant begins with this lock, so that the changes are serial.
  Optional<Tenant> lock(TenantId id);

  /// The tenants after the id `after`, by id, without the owner of shared pools.
  List<Tenant> list(Optional<TenantId> after, int limit);

  /// Inserts the tenant; false if its id is taken.
  boolean insert(Tenant tenant);

  /// Whether a removed tenant had this id.
  boolean isRetired(TenantId id);

  /// Removes the tenant, which has no policies, with its groups, users and service accounts. Its id
  /// is retired.
  void delete(TenantId id, Instant at);
}
