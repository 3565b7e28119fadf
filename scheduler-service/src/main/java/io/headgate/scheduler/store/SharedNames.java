package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.NodeId;

/// Pools and nodes in the rows of a tenant: one of the tenant by its name, and a shared one with
/// its owner, as `platform/h100`.
final class SharedNames {
  private static final String SHARED = TenantId.PLATFORM + "/";

  private SharedNames() {}

  static String text(PoolId pool) {
    return pool.tenant().equals(TenantId.PLATFORM) ? pool.toString() : pool.name();
  }

  static String text(NodeId node) {
    return node.tenant().equals(TenantId.PLATFORM) ? node.toString() : node.name();
  }

  /// @param tenant of the row
  static PoolId pool(TenantId tenant, String text) {
    return text.startsWith(SHARED)
        ? new PoolId(TenantId.PLATFORM, text.substring(SHARED.length()))
        : new PoolId(tenant, text);
  }

  /// @param tenant of the row
  static NodeId node(TenantId tenant, String text) {
    return text.startsWith(SHARED)
        ? new NodeId(TenantId.PLATFORM, text.substring(SHARED.length()))
        : new NodeId(tenant, text);
  }
}
