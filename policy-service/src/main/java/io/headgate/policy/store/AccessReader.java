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
import static io.headgate.policy.store.jooq.Tables.VAULT_GROUPS;

import io.headgate.kit.seal.Seal;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.Budget;
import io.headgate.policy.core.access.Department;
import io.headgate.policy.core.access.Grace;
import io.headgate.policy.core.access.Group;
import io.headgate.policy.core.access.JobRules;
import io.headgate.policy.core.access.JobTerms;
import io.headgate.policy.core.access.JobTerms.OnPreempt;
import io.headgate.policy.core.access.JobTerms.PreemptWithin;
import io.headgate.policy.core.access.Policy;
import io.headgate.policy.core.access.Queue;
import io.headgate.policy.core.access.Rights;
import io.headgate.policy.core.access.TenantPart;
import io.headgate.policy.core.access.Vault;
import io.headgate.policy.core.access.Visibility;
import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.core.name.VaultId;
import io.headgate.policy.store.jooq.tables.records.DepartmentsRecord;
import io.headgate.policy.store.jooq.tables.records.PoliciesRecord;
import io.headgate.policy.store.jooq.tables.records.QueuesRecord;
import io.headgate.policy.store.jooq.tables.records.VaultsRecord;
import io.headgate.type.CommandPattern;
import io.headgate.type.GpuQuantity;
import io.headgate.type.ImagePattern;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;

/// Reads groups, departments, policies, queues, vaults and budgets with one query per table.
final class AccessReader {
  private final DSLContext dsl;
  private final Seal seal;

  AccessReader(DSLContext dsl, Seal seal) {
    this.dsl = dsl;
    this.seal = seal;
  }

  AccessConfiguration read(TenantId tenant, Visibility visibility) {
    BudgetRows.Read budgets = new BudgetRows(dsl, tenant).read();
    return new AccessConfiguration(
        groups(tenant),
        departments(tenant, budgets),
        policies(tenant, budgets),
        queues(tenant),
        vaults(tenant),
        visibility,
        parts(tenant),
        budgets.tenant());
  }

  private List<Group> groups(TenantId tenant) {
    String id = tenant.value();
    Map<String, List<UserId>> users = new HashMap<>();
    Map<String, List<UserId>> leads = new HashMap<>();
    dsl.select(GROUP_USERS.GROUP_ID, GROUP_USERS.USER_ID, GROUP_USERS.IS_LEAD)
        .from(GROUP_USERS)
        .where(GROUP_USERS.TENANT_ID.eq(id))
        .forEach(row -> {
          UserId user = new UserId(row.value2());
          users.computeIfAbsent(row.value1(), _ -> new ArrayList<>()).add(user);
          if (row.value3()) {
            leads.computeIfAbsent(row.value1(), _ -> new ArrayList<>()).add(user);
          }
        });
    Field<String> account = GROUP_SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID;
    Map<String, List<ServiceAccountId>> accounts =
        dsl.select(GROUP_SERVICE_ACCOUNTS.GROUP_ID, account)
            .from(GROUP_SERVICE_ACCOUNTS)
            .where(GROUP_SERVICE_ACCOUNTS.TENANT_ID.eq(id))
            .fetchGroups(
                GROUP_SERVICE_ACCOUNTS.GROUP_ID, row -> new ServiceAccountId(row.value2()));
    return dsl.select(GROUPS.GROUP_ID)
        .from(GROUPS)
        .where(GROUPS.TENANT_ID.eq(id))
        .fetch(row ->
            new Group(
                new GroupId(row.value1()),
                users.getOrDefault(row.value1(), List.of()),
                accounts.getOrDefault(row.value1(), List.of()),
                leads.getOrDefault(row.value1(), List.of())));
  }

  private List<Department> departments(TenantId tenant, BudgetRows.Read budgets) {
    return dsl.selectFrom(DEPARTMENTS)
        .where(DEPARTMENTS.TENANT_ID.eq(tenant.value()))
        .fetch(row -> department(row, budgets.ofDepartment(row.getDepartmentId())));
  }

  private List<TenantPart> parts(TenantId tenant) {
    if (!tenant.equals(TenantId.PLATFORM)) {
      // All others save a query.
      return List.of();
    }
    return dsl.selectFrom(TENANT_PARTS)
        .where(TENANT_PARTS.TENANT_ID.eq(tenant.value()))
        .fetch(row ->
            new TenantPart(
                new TenantId(row.getMemberId()),
                Stream.of(row.getPoolIds()).map(PoolId::new).toList(),
                new GpuQuantity(row.getReservationUnits()),
                Optional.ofNullable(row.getLimitUnits()).map(GpuQuantity::new),
                row.getWeight()));
  }

  private List<Policy> policies(TenantId tenant, BudgetRows.Read budgets) {
    Map<String, List<UserId>> exceeding =
        dsl.select(POLICY_EXCEED_LIMIT.POLICY_ID, POLICY_EXCEED_LIMIT.USER_ID)
            .from(POLICY_EXCEED_LIMIT)
            .where(POLICY_EXCEED_LIMIT.TENANT_ID.eq(tenant.value()))
            .fetchGroups(POLICY_EXCEED_LIMIT.POLICY_ID, row -> new UserId(row.value2()));
    return dsl.selectFrom(POLICIES)
        .where(POLICIES.TENANT_ID.eq(tenant.value()))
        .fetch(row ->
            policy(
                row,
                exceeding.getOrDefault(row.getPolicyId(), List.of()),
                budgets.ofPolicy(row.getPolicyId())));
  }

  private List<Queue> queues(TenantId tenant) {
    return dsl.selectFrom(QUEUES)
        .where(QUEUES.TENANT_ID.eq(tenant.value()))
        .fetch(AccessReader::queue);
  }

  private List<Vault> vaults(TenantId tenant) {
    List<VaultsRecord> rows =
        dsl.selectFrom(VAULTS).where(VAULTS.TENANT_ID.eq(tenant.value())).fetch();
    if (rows.isEmpty()) {
      // Most tenants have no vaults and save two queries.
      return List.of();
    }
    Map<String, List<GroupId>> groups =
        dsl.select(VAULT_GROUPS.VAULT_ID, VAULT_GROUPS.GROUP_ID)
            .from(VAULT_GROUPS)
            .where(VAULT_GROUPS.TENANT_ID.eq(tenant.value()))
            .fetchGroups(VAULT_GROUPS.VAULT_ID, row -> new GroupId(row.value2()));
    Map<String, TreeMap<String, String>> environments = new TreeMap<>();
    Map<String, List<String>> unreadable = new TreeMap<>();
    dsl.selectFrom(VAULT_ENVIRONMENT)
        .where(VAULT_ENVIRONMENT.TENANT_ID.eq(tenant.value()))
        .forEach(row ->
            seal.tryOpenText(row.getValue(), AccessRows.place(row))
                .ifPresentOrElse(
                    value ->
                        environments
                            .computeIfAbsent(row.getVaultId(), _ -> new TreeMap<>())
                            .put(row.getName(), value),
                    () ->
                        unreadable
                            .computeIfAbsent(row.getVaultId(), _ -> new ArrayList<>())
                            .add(row.getName())));
    return rows.stream()
        .map(row ->
            new Vault(
                new VaultId(row.getVaultId()),
                groups.getOrDefault(row.getVaultId(), List.of()),
                new JobRules(
                    Stream.of(row.getImages()).map(ImagePattern::parse).toList(),
                    row.getImageRequired(),
                    row.getDigestRequired(),
                    Stream.of(row.getCommands()).map(CommandPattern::parse).toList()),
                environments.getOrDefault(row.getVaultId(), new TreeMap<>()),
                unreadable.getOrDefault(row.getVaultId(), List.of()),
                row.getDescription()))
        .toList();
  }

  private static Department department(DepartmentsRecord row, Optional<Budget> budget) {
    return new Department(
        new DepartmentId(row.getDepartmentId()),
        Optional.ofNullable(row.getParentId()).map(DepartmentId::new),
        Optional.ofNullable(row.getReservationUnits()).map(GpuQuantity::new),
        Optional.ofNullable(row.getLimitUnits()).map(GpuQuantity::new),
        row.getWeight(),
        budget);
  }

  private static Policy policy(
      PoliciesRecord row, List<UserId> exceeding, Optional<Budget> budget) {
    return new Policy(
        new PolicyId(row.getPolicyId()),
        new GroupId(row.getGroupId()),
        Optional.ofNullable(row.getDepartmentId()).map(DepartmentId::new),
        new Rights(
            new GpuQuantity(row.getReservationUnits()),
            new GpuQuantity(row.getLimitUnits()),
            Optional.ofNullable(row.getPerUserLimitUnits()).map(GpuQuantity::new),
            row.getWeight(),
            exceeding),
        new JobTerms(
            OnPreempt.valueOf(row.getOnPreempt()),
            Duration.ofMillis(row.getMinRuntimeMs()),
            row.getPreemptible(),
            PreemptWithin.valueOf(row.getPreemptWithin()),
            Optional.ofNullable(row.getStopAfterMs()).map(Duration::ofMillis),
            Duration.ofMillis(row.getPreemptAfterMs()),
            new Grace(
                Optional.ofNullable(row.getCallbackMs()).map(Duration::ofMillis),
                Optional.ofNullable(row.getTerminateMs()).map(Duration::ofMillis))),
        budget,
        row.getDescription());
  }

  private static Queue queue(QueuesRecord row) {
    return new Queue(
        new QueueId(row.getQueueId()),
        new PolicyId(row.getPolicyId()),
        new ProfileId(row.getProfileId()),
        row.getRank(),
        row.getOverReservation(),
        row.getPaused());
  }
}
