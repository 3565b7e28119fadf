package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Automated clients of a tenant. Thread-safe.
public final class ServiceAccounts
    implements TenantResources<ServiceAccountId, ServiceAccount, ServiceAccounts.Wanted> {
  private final Changes changes;
  private final AccessWriter access;

  public ServiceAccounts(Changes changes, AccessWriter access) {
    this.changes = changes;
    this.access = access;
  }

  /// A service account as somebody asks for it.
  public record Wanted(ServiceAccountId id, String displayName) {}

  @Override
  public ServiceAccount get(TenantId tenant, ServiceAccountId id) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return find(tables, tenant, id);
    });
  }

  @Override
  public List<ServiceAccount> list(TenantId tenant, Optional<ServiceAccountId> after, int limit) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return tables.serviceAccounts().list(tenant, after, limit);
    });
  }

  @Override
  public <R> R create(Origin origin, Once<ServiceAccount, R> once, TenantId tenant, Wanted wanted) {
    return changes.once(
        once,
        tables -> {
          Changes.lock(tables, tenant);
          ServiceAccount account =
              new ServiceAccount(tenant, wanted.id(), wanted.displayName(), changes.now());
          if (!tables.serviceAccounts().insert(account)) {
            throw new DeniedException(
                new Denial.NameTaken(
                    "service_account_id", Kind.SERVICE_ACCOUNT, wanted.id().value()));
          }
          requireRoom(tables, tenant, "service_account_id");
          record(tables, origin, "CreateServiceAccount", account, Map.of(), fields(account));
          return account;
        });
  }

  @Override
  public ServiceAccount update(
      Origin origin, TenantId tenant, ServiceAccountId id, Function<ServiceAccount, Wanted> edit) {
    return changes.change(tables -> {
      Changes.lock(tables, tenant);
      ServiceAccount before = find(tables, tenant, id);
      ServiceAccount after =
          new ServiceAccount(tenant, id, edit.apply(before).displayName(), before.createdAt());
      if (!after.equals(before)) {
        tables.serviceAccounts().update(after);
        record(tables, origin, "UpdateServiceAccount", after, fields(before), fields(after));
      }
      return after;
    });
  }

  /// Removes the service account: its keys stop working for ever, and it leaves its groups.
  @Override
  public void delete(Origin origin, TenantId tenant, ServiceAccountId id) {
    changes.change(tables -> {
      Changes.lock(tables, tenant);
      ServiceAccount account = find(tables, tenant, id);
      access.edit(
          tables,
          origin,
          tenant,
          (AccessConfiguration current) -> current.withoutServiceAccount(id));
      tables
          .keys()
          .revokeAll(
              new KeyOwner.OfServiceAccount(tenant, id),
              changes.now(),
              origin.required().subject());
      tables.serviceAccounts().delete(tenant, id);
      record(tables, origin, "DeleteServiceAccount", account, fields(account), Map.of());
      return account;
    });
  }

  /// Called when the account, or accounts, are in their table: the bound holds for what would be.
  ///
  /// @param field of the request that asks for one more
  static void requireRoom(Tables tables, TenantId tenant, String field) {
    if (tables.serviceAccounts().count(tenant) > ServiceAccount.MAX_PER_TENANT) {
      throw new DeniedException(
          new Denial.TooMany(field, Kind.SERVICE_ACCOUNT, ServiceAccount.MAX_PER_TENANT));
    }
  }

  private static ServiceAccount find(Tables tables, TenantId tenant, ServiceAccountId id) {
    return tables
        .serviceAccounts()
        .find(tenant, id)
        .orElseThrow(
            () -> new DeniedException(new Denial.NotFound(Kind.SERVICE_ACCOUNT, id.value())));
  }

  private void record(
      Tables tables,
      Origin origin,
      String action,
      ServiceAccount account,
      Map<String, String> before,
      Map<String, String> after) {
    changes.record(
        tables,
        origin,
        Optional.of(account.tenant()),
        action,
        new KeyOwner.OfServiceAccount(account.tenant(), account.id()).name(),
        AuditEntry.changes(before, after));
  }

  private static Map<String, String> fields(ServiceAccount account) {
    return Map.of("display_name", account.displayName());
  }
}
