package io.headgate.policy.runtime.port;

import io.headgate.kit.watch.WatchPosition;
import io.headgate.policy.core.access.AccessDiff;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.name.TenantId;

/// Groups, policies and queues.
public interface AccessTable {
  /// The configuration in force of a tenant that exists.
  AccessVersion get(TenantId tenant);

  /// Puts `next` in force and tells those who watch. The users and service accounts that its groups
  /// name exist.
  ///
  /// @param diff what makes it of the configuration in force
  void put(AccessVersion next, AccessDiff diff);

  /// Tells those who watch that the tenant is gone.
  void forget(TenantId tenant);

  /// What somebody who has come to `seen` has to be told: everything, if that was nothing, is yet
  /// to come, or was another incarnation.
  AccessStep since(WatchPosition seen);
}
