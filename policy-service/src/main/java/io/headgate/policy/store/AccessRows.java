package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.DEPARTMENTS;
import static io.headgate.policy.store.jooq.Tables.GROUPS;
import static io.headgate.policy.store.jooq.Tables.GROUP_SERVICE_ACCOUNTS;
import static io.headgate.policy.store.jooq.Tables.GROUP_USERS;
import static io.headgate.policy.store.jooq.Tables.POLICIES;
import static io.headgate.policy.store.jooq.Tables.POLICY_EXCEED_LIMIT;
import static io.headgate.policy.store.jooq.Tables.QUEUES;
import static io.headgate.policy.store.jooq.Tables.TENANT_PARTS;
import static io.headgate.policy.store.jooq.Tables.VAULTS;
import static io.headgate.policy.store.jooq.Tables.VAULT_ENVIRONMENT;
import static org.jooq.impl.DSL.any;

import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.policy.core.access.AccessDiff;
import io.headgate.policy.core.access.Department;
import io.headgate.policy.core.access.Group;
import io.headgate.policy.core.access.JobRules;
import io.headgate.policy.core.access.JobTerms;
import io.headgate.policy.core.access.Policy;
import io.headgate.policy.core.access.Queue;
import io.headgate.policy.core.access.Rights;
import io.headgate.policy.core.access.TenantPart;
import io.headgate.policy.core.access.Vault;
import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.store.jooq.tables.records.DepartmentsRecord;
import io.headgate.policy.store.jooq.tables.records.GroupServiceAccountsRecord;
import io.headgate.policy.store.jooq.tables.records.GroupsRecord;
import io.headgate.policy.store.jooq.tables.records.PoliciesRecord;
import io.headgate.policy.store.jooq.tables.records.PolicyExceedLimitRecord;
import io.headgate.policy.store.jooq.tables.records.QueuesRecord;
import io.headgate.policy.store.jooq.tables.records.TenantPartsRecord;
import io.headgate.policy.store.jooq.tables.records.VaultEnvironmentRecord;
import io.headgate.policy.store.jooq.tables.records.VaultGroupsRecord;
import io.headgate.policy.store.jooq.tables.records.VaultsRecord;
import io.headgate.type.CommandPattern;
import io.headgate.type.GpuQuantity;
import io.headgate.type.ImagePattern;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;

/// Writes one tenant's groups, departments, policies, queues, vaults and budgets. Rows are deleted
/// before the rows that they refer to, and inserted after them.
final class AccessRows {
  private final DSLContext dsl;
  private final Seal seal;
  private final String tenant;

  AccessRows(DSLContext dsl, Seal seal, TenantId tenant) {
    this.dsl = dsl;
    this.seal = seal;
    this.tenant = tenant.value();
  }

  void apply(AccessDiff diff) {
    removeQueues(diff.queues().removed());
    removeVaults(diff.vaults());
    // Members and grants of changed items are written anew.
    removeGrants(diff.policies());
    // A changed policy may leave a removed group or department, so it is written before the
    // removal.
    writeGroups(diff.groups());
    writeDepartments(diff.departments());
    writePolicies(diff.policies());
    new BudgetRows(dsl, new TenantId(tenant)).write(diff);
    writeQueues(diff.queues());
    writeVaults(diff.vaults());
    writeParts(diff.tenants());
    removePolicies(diff.policies().removed());
    removeGroups(diff.groups().removed());
    removeDepartments(diff.departments().removed());
  }

  private void writeParts(AccessDiff.Part<TenantPart> parts) {
    List<TenantPart> gone = new ArrayList<>(parts.removed());
    parts.changed().forEach(change -> gone.add(change.before()));
    for (TenantPart part : gone) {
      dsl.deleteFrom(TENANT_PARTS)
          .where(
              TENANT_PARTS.TENANT_ID.eq(tenant),
              TENANT_PARTS.MEMBER_ID.eq(part.tenant().value()),
              TENANT_PARTS.POOL_IDS.eq(texts(part.pools(), PoolId::value)))
          .execute();
    }
    dsl.batchInsert(parts.written().stream().map(this::row).toList()).execute();
  }

  private TenantPartsRecord row(TenantPart part) {
    return new TenantPartsRecord(
        tenant,
        part.tenant().value(),
        texts(part.pools(), PoolId::value),
        part.reservation().units(),
        part.limit().map(GpuQuantity::units).orElse(null),
        part.weight());
  }

  private void writeGroups(AccessDiff.Part<Group> groups) {
    dsl.batchInsert(
            groups.added().stream()
                .map(group -> new GroupsRecord(tenant, group.id().value()))
                .toList())
        .execute();
    String[] changed = texts(groups.changed(), change -> change.after().id().value());
    dsl.deleteFrom(GROUP_USERS)
        .where(GROUP_USERS.TENANT_ID.eq(tenant))
        .and(GROUP_USERS.GROUP_ID.eq(any(changed)))
        .execute();
    dsl.deleteFrom(GROUP_SERVICE_ACCOUNTS)
        .where(GROUP_SERVICE_ACCOUNTS.TENANT_ID.eq(tenant))
        .and(GROUP_SERVICE_ACCOUNTS.GROUP_ID.eq(any(changed)))
        .execute();
    List<GroupServiceAccountsRecord> accounts = new ArrayList<>();
    for (Group group : groups.written()) {
      String id = group.id().value();
      insertUsers(id, group.users());
      if (!group.leads().isEmpty()) {
        dsl.update(GROUP_USERS)
            .set(GROUP_USERS.IS_LEAD, true)
            .where(GROUP_USERS.TENANT_ID.eq(tenant), GROUP_USERS.GROUP_ID.eq(id))
            .and(GROUP_USERS.USER_ID.eq(any(texts(group.leads(), UserId::value))))
            .execute();
      }
      group
          .serviceAccounts()
          .forEach(
              account -> accounts.add(new GroupServiceAccountsRecord(tenant, id, account.value())));
    }
    dsl.batchInsert(accounts).execute();
  }

  /// One statement, because a group may have ten thousand members.
  private void insertUsers(String group, Collection<UserId> users) {
    Field<String> user = DSL.field(DSL.name("each"), String.class);
    dsl.insertInto(GROUP_USERS, GROUP_USERS.TENANT_ID, GROUP_USERS.GROUP_ID, GROUP_USERS.USER_ID)
        .select(
            DSL.select(DSL.val(tenant), DSL.val(group), user)
                .from(
                    DSL.unnest(users.stream().map(UserId::value).toArray(String[]::new))
                        .as("users", "each")))
        .execute();
  }

  private void writeDepartments(AccessDiff.Part<Department> departments) {
    dsl.batchInsert(departments.added().stream().map(this::row).toList()).execute();
    dsl.batchUpdate(departments.changed().stream().map(change -> row(change.after())).toList())
        .execute();
  }

  private void writePolicies(AccessDiff.Part<Policy> policies) {
    dsl.batchInsert(policies.added().stream().map(this::row).toList()).execute();
    dsl.batchUpdate(policies.changed().stream().map(change -> row(change.after())).toList())
        .execute();
    List<PolicyExceedLimitRecord> grants = new ArrayList<>();
    for (Policy policy : policies.written()) {
      policy
          .rights()
          .exceedLimit()
          .forEach(user ->
              grants.add(new PolicyExceedLimitRecord(tenant, policy.id().value(), user.value())));
    }
    dsl.batchInsert(grants).execute();
  }

  private void writeQueues(AccessDiff.Part<Queue> queues) {
    dsl.batchInsert(queues.added().stream().map(this::row).toList()).execute();
    dsl.batchUpdate(queues.changed().stream().map(change -> row(change.after())).toList())
        .execute();
  }

  private void removeQueues(List<Queue> removed) {
    dsl.deleteFrom(QUEUES)
        .where(QUEUES.TENANT_ID.eq(tenant))
        .and(QUEUES.QUEUE_ID.eq(any(texts(removed, queue -> queue.id().value()))))
        .execute();
  }

  private void writeVaults(AccessDiff.Part<Vault> vaults) {
    List<Vault> written = vaults.written();
    dsl.batchInsert(written.stream().map(this::row).toList()).execute();
    List<VaultGroupsRecord> groups = new ArrayList<>();
    List<VaultEnvironmentRecord> environment = new ArrayList<>();
    for (Vault vault : written) {
      String id = vault.id().value();
      vault.groups().forEach(group -> groups.add(new VaultGroupsRecord(tenant, id, group.value())));
      vault.environment().forEach((name, value) -> environment.add(variable(id, name, value)));
    }
    dsl.batchInsert(groups).execute();
    dsl.batchInsert(environment).execute();
  }

  private VaultEnvironmentRecord variable(String vault, String name, String value) {
    VaultEnvironmentRecord row = dsl.newRecord(VAULT_ENVIRONMENT);
    row.setTenantId(tenant);
    row.setVaultId(vault);
    row.setName(name);
    row.setValue(seal.sealText(value, place(row)));
    return row;
  }

  /// Where the value of a variable lies.
  static SealedPlace place(VaultEnvironmentRecord row) {
    return SealedPlace.of(
        "vault_environment", "value", row.getTenantId(), row.getVaultId(), row.getName());
  }

  /// Also changed vaults: no row refers to a vault, so a changed vault is written anew.
  private void removeVaults(AccessDiff.Part<Vault> vaults) {
    List<Vault> gone = new ArrayList<>(vaults.removed());
    vaults.changed().forEach(change -> gone.add(change.before()));
    dsl.deleteFrom(VAULTS)
        .where(VAULTS.TENANT_ID.eq(tenant))
        .and(VAULTS.VAULT_ID.eq(any(texts(gone, vault -> vault.id().value()))))
        .execute();
  }

  private void removeGrants(AccessDiff.Part<Policy> policies) {
    String[] changed = texts(policies.changed(), change -> change.after().id().value());
    dsl.deleteFrom(POLICY_EXCEED_LIMIT)
        .where(POLICY_EXCEED_LIMIT.TENANT_ID.eq(tenant))
        .and(POLICY_EXCEED_LIMIT.POLICY_ID.eq(any(changed)))
        .execute();
  }

  private void removePolicies(List<Policy> removed) {
    dsl.deleteFrom(POLICIES)
        .where(POLICIES.TENANT_ID.eq(tenant))
        .and(POLICIES.POLICY_ID.eq(any(texts(removed, policy -> policy.id().value()))))
        .execute();
  }

  private void removeGroups(List<Group> removed) {
    dsl.deleteFrom(GROUPS)
        .where(GROUPS.TENANT_ID.eq(tenant))
        .and(GROUPS.GROUP_ID.eq(any(texts(removed, group -> group.id().value()))))
        .execute();
  }

  private void removeDepartments(List<Department> removed) {
    dsl.deleteFrom(DEPARTMENTS)
        .where(DEPARTMENTS.TENANT_ID.eq(tenant))
        .and(
            DEPARTMENTS.DEPARTMENT_ID.eq(
                any(texts(removed, department -> department.id().value()))))
        .execute();
  }

  private DepartmentsRecord row(Department department) {
    return new DepartmentsRecord(
        tenant,
        department.id().value(),
        department.parent().map(DepartmentId::value).orElse(null),
        department.reservation().map(GpuQuantity::units).orElse(null),
        department.limit().map(GpuQuantity::units).orElse(null),
        department.weight());
  }

  private PoliciesRecord row(Policy policy) {
    Rights rights = policy.rights();
    JobTerms terms = policy.terms();
    return new PoliciesRecord(
        tenant,
        policy.id().value(),
        policy.group().value(),
        rights.reservation().units(),
        rights.limit().units(),
        rights.perUserLimit().map(GpuQuantity::units).orElse(null),
        rights.weight(),
        terms.onPreempt().name(),
        terms.minRuntime().toMillis(),
        terms.preemptible(),
        terms.preemptWithin().name(),
        terms.stopAfter().map(Duration::toMillis).orElse(null),
        policy.description(),
        policy.department().map(DepartmentId::value).orElse(null),
        terms.preemptAfter().toMillis(),
        terms.grace().callback().map(Duration::toMillis).orElse(null),
        terms.grace().terminate().map(Duration::toMillis).orElse(null));
  }

  private QueuesRecord row(Queue queue) {
    return new QueuesRecord(
        tenant,
        queue.id().value(),
        queue.policy().value(),
        queue.profile().value(),
        queue.rank(),
        queue.overReservation(),
        queue.paused());
  }

  private VaultsRecord row(Vault vault) {
    JobRules rules = vault.rules();
    return new VaultsRecord(
        tenant,
        vault.id().value(),
        texts(rules.images(), ImagePattern::toString),
        rules.imageRequired(),
        rules.digestRequired(),
        texts(rules.commands(), CommandPattern::toString),
        vault.description());
  }

  private static <T> String[] texts(List<T> items, Function<T, String> text) {
    return items.stream().map(text).toArray(String[]::new);
  }
}
