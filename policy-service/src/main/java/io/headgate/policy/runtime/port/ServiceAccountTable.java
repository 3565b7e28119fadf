package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Automated clients.
public interface ServiceAccountTable {
  Optional<ServiceAccount> find(TenantId tenant, ServiceAccountId id);

  /// By id, after `after`.
  List<ServiceAccount> list(TenantId tenant, Optional<ServiceAccountId> after, int limit);

  int count(TenantId tenant);

  /// Whether it was made; not, if the id is taken.
  boolean insert(ServiceAccount account);

  /// Makes those of `ids` that do not exist, and says which.
  List<ServiceAccountId> ensure(TenantId tenant, Collection<ServiceAccountId> ids, Instant now);

  void update(ServiceAccount account);

  /// Removes a service account that is in no group.
  void delete(TenantId tenant, ServiceAccountId id);

  /// Its groups, by id.
  List<GroupId> groups(TenantId tenant, ServiceAccountId id);
}
