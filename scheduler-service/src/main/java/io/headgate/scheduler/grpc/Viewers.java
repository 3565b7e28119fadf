package io.headgate.scheduler.grpc;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.StoredRights;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.leadership.NotLeadingException;
import io.headgate.type.Viewer;

/// The views of callers. Their roles are as their tokens state them, their groups as policy-service
/// does. Jobs state their policy, so the policies of a caller's groups are its teams. Thread-safe.
final class Viewers {
  private final LeaderDoor door;
  private final StoredRights stored;

  Viewers(LeaderDoor door, StoredRights stored) {
    this.door = door;
    this.stored = stored;
  }

  /// By the rights known here now. Blocks for a read where this replica does not lead.
  Viewer of(Principal caller, TenantId tenant) {
    return switch (caller.role()) {
      case PLATFORM_OPERATOR, TENANT_ADMIN, SERVICE -> of(caller, tenant, CatalogView.EMPTY);
      case MEMBER, SERVICE_ACCOUNT, NODE -> of(caller, tenant, rights(tenant));
    };
  }

  /// By the rights known here now, for a stream that outlives its token: an admin that is none any
  /// more sees what a member sees. Blocks for a read where this replica does not lead.
  Viewer later(Principal caller, TenantId tenant) {
    if (caller.role() == Role.TENANT_ADMIN) {
      CatalogView rights = rights(tenant);
      return rights.mayGovern(tenant, caller.subject())
          ? Viewer.governing(caller.subject())
          : rights.member(tenant, caller.subject());
    }
    return of(caller, tenant);
  }

  /// By the rights known here now, without blocking: a member of a tenant whose rights this replica
  /// does not have at hand sees its own things only.
  Viewer known(Principal caller, TenantId tenant) {
    try {
      return of(caller, tenant, door.catalog());
    } catch (NotLeadingException _) {
      return of(caller, tenant, CatalogView.EMPTY);
    }
  }

  /// By the rights of a catalog. Does not block.
  static Viewer of(Principal caller, TenantId tenant, CatalogView catalog) {
    return switch (caller.role()) {
      case PLATFORM_OPERATOR, TENANT_ADMIN -> Viewer.governing(caller.subject());
      case SERVICE -> Viewer.OF_ALL;
      case MEMBER, SERVICE_ACCOUNT, NODE -> catalog.member(tenant, caller.subject());
    };
  }

  private CatalogView rights(TenantId tenant) {
    try {
      return door.catalog();
    } catch (NotLeadingException _) {
      return stored.view(tenant);
    }
  }
}
