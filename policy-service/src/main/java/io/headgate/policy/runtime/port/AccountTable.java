package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.Account;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The users, or the service accounts, of all tenants.
public interface AccountTable<I, T extends Account<I>> {
  Optional<T> find(TenantId tenant, I id);

  /// The accounts after the id `after`, by id.
  List<T> list(TenantId tenant, Optional<I> after, int limit);

  /// The subset of `ids` that exists.
  Set<I> existing(TenantId tenant, Collection<I> ids);

  int count(TenantId tenant);

  /// Inserts the account; false if its id is taken.
  boolean insert(T account);

  /// Creates the absent accounts among `ids`, without display name and rights.
  ///
  /// @return their ids
  List<I> ensure(TenantId tenant, Collection<I> ids, Instant now);

  void update(T account);

  /// Deletes an account without groups and grants.
  void delete(TenantId tenant, I id);

  /// The groups of the account, by id.
  List<GroupId> groups(TenantId tenant, I id);
}
