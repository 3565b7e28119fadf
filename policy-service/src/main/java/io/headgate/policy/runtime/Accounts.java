package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.identity.Account;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import io.headgate.type.Viewer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The users, or the service accounts, of tenants. Thread-safe.
public final class Accounts<I, T extends Account<I>, S> implements TenantResources<I, T, S> {
  private final AccountKind<I, T, S> kind;
  private final Changes changes;
  private final AccessWriter access;

  public Accounts(AccountKind<I, T, S> kind, Changes changes, AccessWriter access) {
    this.kind = kind;
    this.changes = changes;
    this.access = access;
  }

  @Override
  public T get(Caller caller, TenantId tenant, I id) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      if (!viewer(tables, caller, tenant).sees(kind.owner(tenant, id).name(), "")) {
        throw notFound(id);
      }
      return find(tables, tenant, id);
    });
  }

  /// Accounts belong to no group, so a member sees its own record only.
  private static Viewer viewer(Tables tables, Caller caller, TenantId tenant) {
    return Viewers.of(caller, () -> tables.access().get(tenant).configuration());
  }

  @Override
  public List<T> list(Caller caller, TenantId tenant, Optional<I> after, int limit) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      if (viewer(tables, caller, tenant).seesAll()) {
        return kind.table(tables).list(tenant, after, limit);
      }
      return KeyOwner.parse(caller.subject())
          .flatMap(kind::id)
          .filter(own -> after.isEmpty() || own.toString().compareTo(after.get().toString()) > 0)
          .flatMap(own -> kind.table(tables).find(tenant, own))
          .stream()
          .toList();
    });
  }

  @Override
  public <R> R create(Origin origin, IdempotentRequest<T, R> once, TenantId tenant, S spec) {
    return changes.once(
        once,
        tables -> {
          changes.begin(tables, origin, tenant);
          if (tenant.equals(TenantId.PLATFORM)) {
            throw new DeniedException(new Denial.PlatformHasPartsOnly());
          }
          T account = kind.account(tenant, spec, changes.now());
          if (!kind.table(tables).insert(account)) {
            throw new DeniedException(
                new Denial.NameTaken(kind.idField(), kind.kind(), account.id().toString()));
          }
          requireRoom(kind, tables, tenant, kind.idField());
          record(tables, origin, "Create", account, Map.of(), kind.fields(account));
          if (kind.governs(account)) {
            tables.access().adminsChanged(tenant);
          }
          return account;
        });
  }

  @Override
  public T update(Origin origin, TenantId tenant, I id, Function<T, S> edit) {
    return changes.change(tables -> {
      changes.begin(tables, origin, tenant);
      T before = find(tables, tenant, id);
      T after = kind.account(tenant, edit.apply(before), before.createdAt());
      if (!after.equals(before)) {
        replace(kind, changes, tables, origin, before, after);
      }
      return after;
    });
  }

  /// Stores the changed account. The tokens of a former admin end.
  static <I, T extends Account<I>> void replace(
      AccountKind<I, T, ?> kind, Changes changes, Tables tables, Origin origin, T before, T after) {
    TenantId tenant = after.tenant();
    String name = kind.owner(tenant, after.id()).name();
    kind.table(tables).update(after);
    changes.record(
        tables,
        origin,
        Optional.of(tenant),
        "Update" + kind.noun(),
        name,
        AuditEntry.changes(kind.fields(before), kind.fields(after)));
    if (kind.governs(before) && !kind.governs(after)) {
      tables.revocations().add(name, changes.now());
    }
    if (kind.governs(before) != kind.governs(after)) {
      tables.access().adminsChanged(tenant);
    }
  }

  /// Deletes the account: its keys are revoked for ever, and it leaves its groups.
  @Override
  public void delete(Origin origin, TenantId tenant, I id) {
    changes.change(tables -> {
      changes.begin(tables, origin, tenant);
      T account = find(tables, tenant, id);
      access.edit(
          tables, origin, tenant, (AccessConfiguration current) -> kind.without(current, id));
      tables.keys().revokeAll(kind.owner(tenant, id), changes.now(), origin.required().subject());
      kind.table(tables).delete(tenant, id);
      record(tables, origin, "Delete", account, kind.fields(account), Map.of());
      tables.revocations().add(kind.owner(tenant, id).name(), changes.now());
      if (kind.governs(account)) {
        tables.access().adminsChanged(tenant);
      }
      return account;
    });
  }

  /// Checks the tenant's bound after new accounts were inserted.
  ///
  /// @param field of the request that adds accounts
  static <I, T extends Account<I>> void requireRoom(
      AccountKind<I, T, ?> kind, Tables tables, TenantId tenant, String field) {
    if (kind.table(tables).count(tenant) > kind.max()) {
      throw new DeniedException(new Denial.TooMany(field, kind.kind(), kind.max()));
    }
  }

  private T find(Tables tables, TenantId tenant, I id) {
    return kind.table(tables).find(tenant, id).orElseThrow(() -> notFound(id));
  }

  private DeniedException notFound(I id) {
    return new DeniedException(new Denial.NotFound(kind.kind(), id.toString()));
  }

  private void record(
      Tables tables,
      Origin origin,
      String verb,
      T account,
      Map<String, String> before,
      Map<String, String> after) {
    changes.record(
        tables,
        origin,
        Optional.of(account.tenant()),
        verb + kind.noun(),
        kind.owner(account.tenant(), account.id()).name(),
        AuditEntry.changes(before, after));
  }
}
