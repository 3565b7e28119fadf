package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.Tenant;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Tenants.
public interface TenantTable {
  Optional<Tenant> find(TenantId id);

  /// As {@link #find}; other changes of the tenant wait until this transaction ends. Every change
  /// of something in a tenant begins with it, so that they come one after the other.
  Optional<Tenant> lock(TenantId id);

  /// By id, after `after`.
  List<Tenant> list(Optional<TenantId> after, int limit);

  /// Whether it was made; not, if the id is taken.
  boolean insert(Tenant tenant);

  /// Whether there was a tenant of this id, which is gone.
  boolean isRetired(TenantId id);

  /// Removes the tenant, which has no policies, with its groups, users and service accounts. Its id
  /// is retired.
  void delete(TenantId id, Instant at);
}
