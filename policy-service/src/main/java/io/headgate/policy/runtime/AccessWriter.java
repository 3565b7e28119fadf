package io.headgate.policy.runtime;

import io.headgate.kit.decision.FieldChange;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.AccessDiff;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.AuditFields;
import io.headgate.policy.core.access.Department;
import io.headgate.policy.core.access.Group;
import io.headgate.policy.core.access.JointChange;
import io.headgate.policy.core.access.Policy;
import io.headgate.policy.core.access.Queue;
import io.headgate.policy.core.access.TenantPart;
import io.headgate.policy.core.access.Vault;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// Stores an accepted configuration as the tenant's next version. It also creates the principals
/// that the configuration names, writes the audit log and notifies watchers. Thread-safe.
public final class AccessWriter {
  private final Changes changes;

  public AccessWriter(Changes changes) {
    this.changes = changes;
  }

  /// Edits the configuration in force; an edit without changes does nothing.
  void edit(
      Tables tables, Origin origin, TenantId tenant, UnaryOperator<AccessConfiguration> edit) {
    AccessVersion current = tables.access().get(tenant);
    put(tables, origin, current, edit.apply(current.configuration()));
  }

  /// Replaces `current`, which is locked, by `next`, and returns the configuration then in force.
  AccessVersion put(Tables tables, Origin origin, AccessVersion current, AccessConfiguration next) {
    return put(tables, origin, current, next, current.joint(), false);
  }

  /// Like the other, for a change of supply and rights, or of admins.
  ///
  /// @param joint the last change of supply and rights, with this one
  /// @param hasOtherAdmins whether the admins were changed with it: that is a version, too
  AccessVersion put(
      Tables tables,
      Origin origin,
      AccessVersion current,
      AccessConfiguration next,
      Optional<JointChange> joint,
      boolean hasOtherAdmins) {
    AccessDiff diff = AccessDiff.between(current.configuration(), next);
    // A change of supply alone is a version, too: the watch tells of its commit.
    if (diff.isEmpty() && joint.equals(current.joint()) && !hasOtherAdmins) {
      return current;
    }
    Instant now = changes.now();
    AccessVersion version =
        new AccessVersion(
            current.tenant(),
            current.version() + 1,
            next,
            Optional.of(new AccessVersion.Change(now, origin.required().subject())),
            joint);
    ensurePrincipals(tables, origin, current.tenant(), diff, now);
    record(tables, origin, current.tenant(), diff);
    // Last, because it locks the one row that all writers of all tenants need.
    tables.access().put(version, diff);
    return version;
  }

  private void ensurePrincipals(
      Tables tables, Origin origin, TenantId tenant, AccessDiff diff, Instant now) {
    TreeSet<UserId> users = new TreeSet<>();
    TreeSet<ServiceAccountId> accounts = new TreeSet<>();
    for (Group group : diff.groups().written()) {
      users.addAll(group.users());
      accounts.addAll(group.serviceAccounts());
    }
    List<UserId> madeUsers = tables.users().ensure(tenant, users, now);
    if (!madeUsers.isEmpty()) {
      Accounts.requireRoom(AccountKinds.USERS, tables, tenant, "users");
    }
    // One by one, the ten thousand users of a large group took ten seconds.
    changes.recordAll(tables, origin, tenant, "CreateUser", names(tenant, "users", madeUsers));
    List<ServiceAccountId> madeAccounts = tables.serviceAccounts().ensure(tenant, accounts, now);
    if (!madeAccounts.isEmpty()) {
      Accounts.requireRoom(AccountKinds.SERVICE_ACCOUNTS, tables, tenant, "service_accounts");
    }
    changes.recordAll(
        tables,
        origin,
        tenant,
        "CreateServiceAccount",
        names(tenant, "serviceAccounts", madeAccounts));
  }

  private static List<String> names(TenantId tenant, String collection, List<?> ids) {
    return ids.stream().map(id -> "tenants/%s/%s/%s".formatted(tenant, collection, id)).toList();
  }

  private void record(Tables tables, Origin origin, TenantId tenant, AccessDiff diff) {
    new Recorder<Group>(
            tables, origin, tenant, "Group", group -> "groups/" + group.id(), AuditFields::of)
        .record(diff.groups());
    new Recorder<Department>(
            tables,
            origin,
            tenant,
            "Department",
            department -> "departments/" + department.id(),
            AuditFields::of)
        .record(diff.departments());
    new Recorder<Policy>(
            tables, origin, tenant, "Policy", policy -> "policies/" + policy.id(), AuditFields::of)
        .record(diff.policies());
    new Recorder<Queue>(
            tables, origin, tenant, "Queue", queue -> "queues/" + queue.id(), AuditFields::of)
        .record(diff.queues());
    new Recorder<Vault>(
            tables, origin, tenant, "Vault", vault -> "vaults/" + vault.id(), AuditFields::of)
        .record(diff.vaults());
    new Recorder<TenantPart>(
            tables,
            origin,
            tenant,
            "TenantPart",
            part -> "tenantParts/" + part.tenant(),
            AuditFields::of)
        .record(diff.tenants());
    diff.visibility()
        .ifPresent(change ->
            append(
                tables,
                origin,
                tenant,
                "UpdateVisibility",
                "accessConfiguration",
                AuditEntry.changes(
                    AuditFields.of(change.before()), AuditFields.of(change.after()))));
    diff.budget()
        .ifPresent(change ->
            append(
                tables,
                origin,
                tenant,
                "UpdateBudget",
                "accessConfiguration",
                AuditEntry.changes(
                    AuditFields.of(change.before()), AuditFields.of(change.after()))));
  }

  private void append(
      Tables tables,
      Origin origin,
      TenantId tenant,
      String action,
      String target,
      List<FieldChange> fields) {
    changes.record(
        tables, origin, Optional.of(tenant), action, "tenants/" + tenant + "/" + target, fields);
  }

  /// Records the changes of one kind in the audit log.
  private final class Recorder<T> {
    private final Tables tables;
    private final Origin origin;
    private final TenantId tenant;
    private final String kind;
    private final Function<T, String> name;
    private final Function<T, Map<String, String>> fields;

    Recorder(
        Tables tables,
        Origin origin,
        TenantId tenant,
        String kind,
        Function<T, String> name,
        Function<T, Map<String, String>> fields) {
      this.tables = tables;
      this.origin = origin;
      this.tenant = tenant;
      this.kind = kind;
      this.name = name;
      this.fields = fields;
    }

    void record(AccessDiff.Part<T> part) {
      part.added().forEach(item -> one("Create", item, Map.of(), fields.apply(item)));
      for (AccessDiff.Change<T> change : part.changed()) {
        one("Update", change.after(), fields.apply(change.before()), fields.apply(change.after()));
      }
      part.removed().forEach(item -> one("Delete", item, fields.apply(item), Map.of()));
    }

    private void one(String verb, T item, Map<String, String> before, Map<String, String> after) {
      append(
          tables, origin, tenant, verb + kind, name.apply(item), AuditEntry.changes(before, after));
    }
  }
}
