package io.headgate.policy.runtime.port;

import io.headgate.kit.position.WatchPosition;
import io.headgate.policy.core.access.AccessDiff;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.Visibility;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import java.util.List;

/// The access configurations of all tenants.
public interface AccessTable {
  /// The configuration in force of an existing tenant.
  AccessVersion get(TenantId tenant);

  /// Stores `next` as the configuration in force and notifies watchers. The users and service
  /// accounts in its groups must exist.
  ///
  /// @param diff from the configuration in force to `next`
  void put(AccessVersion next, AccessDiff diff);

  /// Whether the tenant is open to its members; an absent one is not.
  Visibility visibility(TenantId tenant);

  /// The users who are admins of the tenant, by id.
  List<UserId> admins(TenantId tenant);

  /// Notifies watchers that the tenant has other admins.
  void adminsChanged(TenantId tenant);

  /// Notifies watchers that the tenant is gone.
  void forget(TenantId tenant);

  /// The step for a watcher at `seen`. It is a full snapshot if `seen` is no version, a future
  /// version, or a version of another incarnation.
  AccessStep since(WatchPosition seen);
}
