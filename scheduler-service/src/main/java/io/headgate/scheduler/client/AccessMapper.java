package io.headgate.scheduler.client;

import com.google.protobuf.Duration;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.TenantPart;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.catalog.JointChange;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.type.CommandPattern;
import io.headgate.type.GpuQuantity;
import io.headgate.type.ImagePattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Policy-service's messages as the scheduler's values.
final class AccessMapper {
  private static final java.time.Duration STOP_AFTER = java.time.Duration.ofMinutes(40);

  private AccessMapper() {}

  static Access toAccess(TenantId tenant, AccessConfiguration configuration, PartReader parts) {
    List<Department> departments = new ArrayList<>();
    for (var department : configuration.getDepartmentsList()) {
      parts
          .read("departments", department.getName(), () -> toDepartment(tenant, department))
          .ifPresent(departments::add);
    }
    List<Access.Rights> rights = new ArrayList<>();
    for (var policy : configuration.getPoliciesList()) {
      parts
          .read("policies", policy.getName(), () -> toRights(tenant, policy))
          .ifPresent(rights::add);
    }
    List<Queue> queues = new ArrayList<>();
    for (var queue : configuration.getQueuesList()) {
      parts.read("queues", queue.getName(), () -> toQueue(tenant, queue)).ifPresent(queues::add);
    }
    List<TenantShare> shares = new ArrayList<>();
    for (var part : configuration.getTenantsList()) {
      parts.read("tenants", part.getName(), () -> toShares(tenant, part)).ifPresent(shares::addAll);
    }
    return new Access(
        tenant,
        configuration.getVersion(),
        configuration.getGroupsList().stream().map(group -> toGroup(tenant, group)).toList(),
        departments,
        rights,
        queues,
        VaultRules.byGroup(
            configuration.getVaultsList().stream().map(vault -> toVault(vault, parts)).toList(),
            rights.stream().map(Access.Rights::group).collect(Collectors.toSet())),
        configuration.hasJointChange()
            ? Optional.of(joint(configuration.getJointChange()))
            : Optional.empty(),
        toRoles(tenant, configuration),
        shares,
        BudgetMapper.toBudgets(tenant, configuration, parts));
  }

  static JointChange joint(io.headgate.proto.type.v1.JointChange joint) {
    return new JointChange(joint.getId(), joint.getResourceVersion(), joint.getAccessVersion());
  }

  private static Access.Roles toRoles(TenantId tenant, AccessConfiguration configuration) {
    return new Access.Roles(
        configuration.getAdminsStated()
            ? Optional.of(users(tenant, configuration.getAdminsList()))
            : Optional.empty(),
        configuration.getVisibility() == AccessConfiguration.Visibility.VISIBILITY_TENANT);
  }

  private static Set<String> users(TenantId tenant, List<String> ids) {
    return ids.stream()
        .map(id -> "tenants/" + tenant + "/users/" + id)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /// A pattern that cannot be read matches nothing, so that no vault allows more by it.
  private static VaultRules.Vault toVault(Vault vault, PartReader parts) {
    return new VaultRules.Vault(
        SupplyMapper.id(vault.getName()),
        Set.copyOf(vault.getGroupsList()),
        patterns(vault, vault.getImagesList(), ImagePattern::parse, parts),
        vault.getRequireImage(),
        vault.getRequireDigest(),
        patterns(vault, vault.getCommandsList(), CommandPattern::parse, parts),
        vault.getEnvironmentMap(),
        vault.getUnreadableVariablesList());
  }

  private static <T> Optional<List<T>> patterns(
      Vault vault, List<String> texts, Function<String, T> parse, PartReader parts) {
    return texts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            texts.stream()
                .flatMap(
                    text -> parts.read("vaults", vault.getName(), () -> parse.apply(text)).stream())
                .toList());
  }

  private static Access.Group toGroup(TenantId tenant, Group group) {
    Set<String> members = users(tenant, group.getUsersList());
    group
        .getServiceAccountsList()
        .forEach(account -> members.add("tenants/" + tenant + "/serviceAccounts/" + account));
    return new Access.Group(
        SupplyMapper.id(group.getName()), members, users(tenant, group.getLeadsList()));
  }

  private static Department toDepartment(
      TenantId tenant, io.headgate.proto.policy.v1.Department department) {
    return new Department(
        new DepartmentId(tenant, SupplyMapper.id(department.getName())),
        toDepartment(tenant, department.getDepartment()),
        toQuantity(department.getReservation()),
        toQuantity(department.getLimit()),
        Math.clamp(department.getWeight(), 1, Policy.MAX_WEIGHT));
  }

  /// The numbers of a part count for each of its pools.
  private static List<TenantShare> toShares(TenantId owner, TenantPart part) {
    return part.getPoolsList().stream()
        .map(pool ->
            new TenantShare(
                new TenantId(SupplyMapper.id(part.getName())),
                new PoolId(owner, pool),
                toQuantity(part.getReservation()),
                toQuantity(part.getLimit()),
                Math.clamp(part.getWeight(), 1, Policy.MAX_WEIGHT)))
        .toList();
  }

  private static Optional<DepartmentId> toDepartment(TenantId tenant, String id) {
    return id.isEmpty() ? Optional.empty() : Optional.of(new DepartmentId(tenant, id));
  }

  private static Optional<GpuQuantity> toQuantity(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(GpuQuantity.parse(text));
  }

  private static Access.Rights toRights(
      TenantId tenant, io.headgate.proto.policy.v1.Policy policy) {
    boolean cancels =
        policy.getOnPreempt() == io.headgate.proto.policy.v1.Policy.OnPreempt.ON_PREEMPT_CANCEL;
    Policy core =
        Policy.of(
                new PolicyId(tenant, SupplyMapper.id(policy.getName())),
                toQuantity(policy.getReservation()).orElse(GpuQuantity.ZERO),
                GpuQuantity.parse(policy.getLimit()))
            .with()
            .weight(Math.clamp(policy.getWeight(), 1, Policy.MAX_WEIGHT))
            .perUserLimit(toQuantity(policy.getPerUserLimit()))
            .exceedLimit(
                policy.getExceedLimitList().stream().map(UserId::new).collect(Collectors.toSet()))
            .onPreempt(cancels ? PreemptionOutcome.CANCEL : PreemptionOutcome.REQUEUE)
            .minRuntime(toDuration(policy.getMinRuntime()))
            .preemptible(!policy.hasPreemptible() || policy.getPreemptible())
            .preemptWithin(
                policy.getPreemptWithin()
                        == io.headgate.proto.policy.v1.Policy.PreemptWithin
                            .PREEMPT_WITHIN_LOWER_PRIORITY
                    ? PreemptWithin.LOWER_PRIORITY
                    : PreemptWithin.NEVER)
            .preemptAfter(toDuration(policy.getPreemptAfter()))
            .department(toDepartment(tenant, policy.getDepartment()))
            .group(Optional.of(policy.getGroup()))
            .build();
    Optional<java.time.Duration> stopAfter =
        policy.getStopAfterNever()
            ? Optional.empty()
            : Optional.of(policy.hasStopAfter() ? toDuration(policy.getStopAfter()) : STOP_AFTER);
    return new Access.Rights(core, policy.getGroup(), stopAfter, toGrace(policy.getGrace()));
  }

  private static Grace toGrace(io.headgate.proto.policy.v1.Grace grace) {
    return new Grace(
        grace.hasCallback() ? Optional.of(toDuration(grace.getCallback())) : Optional.empty(),
        grace.hasTerminate() ? Optional.of(toDuration(grace.getTerminate())) : Optional.empty());
  }

  private static Queue toQueue(TenantId tenant, io.headgate.proto.policy.v1.Queue queue) {
    return new Queue(
        new QueueId(tenant, SupplyMapper.id(queue.getName())),
        new PolicyId(tenant, queue.getPolicy()),
        new ProfileId(tenant, queue.getProfile()),
        Math.max(1, queue.getRank()),
        queue.getOverReservation()
            != io.headgate.proto.policy.v1.Queue.OverReservation.OVER_RESERVATION_DENY,
        !queue.getPaused());
  }

  private static java.time.Duration toDuration(Duration duration) {
    return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }
}
