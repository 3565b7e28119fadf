package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.Tenant;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Tenants of the installation. Thread-safe.
public final class Tenants {
  private final Changes changes;

  public Tenants(Changes changes) {
    this.changes = changes;
  }

  public Tenant get(TenantId id) {
    return changes.read(tables -> Changes.find(tables, id));
  }

  /// The tenants after the id `after`, by id; a caller of one tenant sees only that tenant.
  public List<Tenant> list(Origin origin, Optional<TenantId> after, int limit) {
    Optional<TenantId> own = origin.required().tenant();
    return changes.read(tables ->
        own.isPresent()
            ? tables.tenants().find(own.get()).stream()
                .filter(tenant -> after.isEmpty() || after.get().compareTo(tenant.id()) < 0)
                .toList()
            : tables.tenants().list(after, limit));
  }

  public <R> R create(
      Origin origin, IdempotentRequest<Tenant, R> once, TenantId id, String displayName) {
    return changes.once(once, tables -> create(tables, origin, id, displayName));
  }

  /// Creates the tenant unless it exists; for the initial tenant of an installation.
  public void ensure(Origin origin, TenantId id, String displayName) {
    requireUnreserved("tenant_id", id);
    changes.change(tables ->
        tables.tenants().find(id).orElseGet(() -> create(tables, origin, id, displayName)));
  }

  /// Removes a tenant without policies. All keys of its users and nodes stop working. Its id is
  /// never reused, because other services still hold nodes and jobs under it.
  public void delete(Origin origin, TenantId id) {
    changes.change(tables -> {
      requireUnreserved("name", id);
      changes.begin(tables, origin, id);
      boolean shares =
          tables.access().get(TenantId.PLATFORM).configuration().tenants().stream()
              .anyMatch(part -> part.tenant().equals(id));
      if (shares) {
        throw new DeniedException(new Denial.TenantHasPart(id.value()));
      }
      int policies = tables.access().get(id).configuration().policies().size();
      if (policies > 0) {
        throw new DeniedException(new Denial.TenantInUse(id.value(), policies));
      }
      tables.keys().revokeAll(id, changes.now(), origin.required().subject());
      tables.access().forget(id);
      tables.tenants().delete(id, changes.now());
      changes.record(tables, origin, Optional.of(id), "DeleteTenant", name(id), List.of());
      tables.revocations().add(name(id), changes.now());
      return id;
    });
  }

  private Tenant create(Tables tables, Origin origin, TenantId id, String displayName) {
    changes.requireCaller(tables, origin);
    requireUnreserved("tenant_id", id);
    if (tables.tenants().isRetired(id)) {
      throw new DeniedException(new Denial.NameRetired("tenant_id", Kind.TENANT, id.value()));
    }
    Tenant tenant = new Tenant(id, displayName, changes.now());
    if (!tables.tenants().insert(tenant)) {
      throw new DeniedException(new Denial.NameTaken("tenant_id", Kind.TENANT, id.value()));
    }
    changes.record(
        tables,
        origin,
        Optional.of(id),
        "CreateTenant",
        name(id),
        AuditEntry.changes(Map.of(), Map.of("display_name", displayName)));
    return tenant;
  }

  private static void requireUnreserved(String field, TenantId id) {
    if (id.equals(TenantId.PLATFORM)) {
      throw new DeniedException(new Denial.TenantReserved(field, id.value()));
    }
  }

  private static String name(TenantId id) {
    return "tenants/" + id;
  }
}
