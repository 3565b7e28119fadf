package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// People.
public interface UserTable {
  Optional<User> find(TenantId tenant, UserId id);

  /// By id, after `after`.
  List<User> list(TenantId tenant, Optional<UserId> after, int limit);

  /// Which of `ids` exist.
  Set<UserId> existing(TenantId tenant, Collection<UserId> ids);

  int count(TenantId tenant);

  /// Whether it was made; not, if the id is taken.
  boolean insert(User user);

  /// Makes those of `ids` that do not exist, as members, and says which.
  List<UserId> ensure(TenantId tenant, Collection<UserId> ids, Instant now);

  void update(User user);

  /// Removes a user who is in no group and has no grant.
  void delete(TenantId tenant, UserId id);

  /// Its groups, by id.
  List<GroupId> groups(TenantId tenant, UserId id);
}
