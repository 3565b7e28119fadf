package io.headgate.policy.grpc;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.policy.core.access.AccessSpec;
import io.headgate.policy.core.access.AccessSpec.DepartmentSpec;
import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.AccessSpec.RightsSpec;
import io.headgate.policy.core.access.AccessSpec.TermsSpec;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.AccessWarning;
import io.headgate.policy.core.access.Grace;
import io.headgate.policy.core.access.JobTerms;
import io.headgate.policy.core.access.Rights;
import io.headgate.policy.core.access.Visibility;
import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Department;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.type.v1.JointChange;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Optional;

/// Converts groups, departments, policies, queues and whole configurations to and from messages.
final class AccessMapping {
  static final String GROUPS = "groups";
  static final String DEPARTMENTS = "departments";
  static final String POLICIES = "policies";
  static final String QUEUES = "queues";
  static final String VAULTS = "vaults";

  private AccessMapping() {}

  static Group toProto(TenantId tenant, io.headgate.policy.core.access.Group group) {
    return Group.newBuilder()
        .setName(name(tenant, GROUPS, group.id().value()))
        .addAllUsers(group.users().stream().map(UserId::value).toList())
        .addAllServiceAccounts(
            group.serviceAccounts().stream().map(ServiceAccountId::value).toList())
        .addAllLeads(group.leads().stream().map(UserId::value).toList())
        .build();
  }

  static Department toProto(TenantId tenant, io.headgate.policy.core.access.Department department) {
    Department.Builder proto =
        Department.newBuilder()
            .setName(name(tenant, DEPARTMENTS, department.id().value()))
            .setDepartment(department.parent().map(DepartmentId::value).orElse(""))
            .setReservation(department.reservation().map(GpuQuantity::toString).orElse(""))
            .setLimit(department.limit().map(GpuQuantity::toString).orElse(""))
            .setWeight(department.weight());
    department.budget().map(BudgetMapping::toProto).ifPresent(proto::setBudget);
    return proto.build();
  }

  static Policy toProto(TenantId tenant, io.headgate.policy.core.access.Policy policy) {
    Rights rights = policy.rights();
    JobTerms terms = policy.terms();
    Policy.Builder proto =
        Policy.newBuilder()
            .setName(name(tenant, POLICIES, policy.id().value()))
            .setGroup(policy.group().value())
            .setDepartment(policy.department().map(DepartmentId::value).orElse(""))
            .setReservation(rights.reservation().toString())
            .setLimit(rights.limit().toString())
            .setWeight(rights.weight())
            .setPerUserLimit(rights.perUserLimit().map(GpuQuantity::toString).orElse(""))
            .addAllExceedLimit(rights.exceedLimit().stream().map(UserId::value).toList())
            .setOnPreempt(
                switch (terms.onPreempt()) {
                  case REQUEUE -> Policy.OnPreempt.ON_PREEMPT_REQUEUE;
                  case CANCEL -> Policy.OnPreempt.ON_PREEMPT_CANCEL;
                })
            .setMinRuntime(ProtoTimes.toProto(terms.minRuntime()))
            .setPreemptible(terms.preemptible())
            .setPreemptWithin(
                switch (terms.preemptWithin()) {
                  case NEVER -> Policy.PreemptWithin.PREEMPT_WITHIN_NEVER;
                  case LOWER_PRIORITY -> Policy.PreemptWithin.PREEMPT_WITHIN_LOWER_PRIORITY;
                })
            .setStopAfterNever(terms.stopAfter().isEmpty())
            .setPreemptAfter(ProtoTimes.toProto(terms.preemptAfter()))
            .setDescription(policy.description());
    terms.stopAfter().ifPresent(after -> proto.setStopAfter(ProtoTimes.toProto(after)));
    if (!terms.grace().equals(Grace.NONE)) {
      proto.setGrace(toProto(terms.grace()));
    }
    policy.budget().map(BudgetMapping::toProto).ifPresent(proto::setBudget);
    return proto.build();
  }

  private static io.headgate.proto.policy.v1.Grace toProto(Grace grace) {
    var proto = io.headgate.proto.policy.v1.Grace.newBuilder();
    grace.callback().map(ProtoTimes::toProto).ifPresent(proto::setCallback);
    grace.terminate().map(ProtoTimes::toProto).ifPresent(proto::setTerminate);
    return proto.build();
  }

  static Queue toProto(TenantId tenant, io.headgate.policy.core.access.Queue queue) {
    return Queue.newBuilder()
        .setName(name(tenant, QUEUES, queue.id().value()))
        .setPolicy(queue.policy().value())
        .setProfile(queue.profile().value())
        .setRank(queue.rank())
        .setOverReservation(
            queue.overReservation()
                ? Queue.OverReservation.OVER_RESERVATION_ALLOW
                : Queue.OverReservation.OVER_RESERVATION_DENY)
        .setPaused(queue.paused())
        .build();
  }

  static AccessConfiguration toProto(AccessVersion version) {
    TenantId tenant = version.tenant();
    AccessConfiguration.Builder proto =
        AccessConfiguration.newBuilder()
            .setTenant(tenant.value())
            .setVersion(version.version())
            .setVisibility(
                switch (version.configuration().visibility()) {
                  case OWN -> AccessConfiguration.Visibility.VISIBILITY_OWN;
                  case TENANT -> AccessConfiguration.Visibility.VISIBILITY_TENANT;
                });
    version.configuration().groups().forEach(group -> proto.addGroups(toProto(tenant, group)));
    version
        .configuration()
        .departments()
        .forEach(department -> proto.addDepartments(toProto(tenant, department)));
    version
        .configuration()
        .policies()
        .forEach(policy -> proto.addPolicies(toProto(tenant, policy)));
    version.configuration().queues().forEach(queue -> proto.addQueues(toProto(tenant, queue)));
    version
        .configuration()
        .vaults()
        .forEach(vault -> proto.addVaults(VaultMapping.toProto(tenant, vault)));
    version
        .configuration()
        .tenants()
        .forEach(part -> proto.addTenants(TenantPartMapping.toProto(part)));
    version.configuration().budget().map(BudgetMapping::toProto).ifPresent(proto::setBudget);
    version
        .joint()
        .ifPresent(joint ->
            proto.setJointChange(
                JointChange.newBuilder()
                    .setId(joint.id())
                    .setResourceVersion(joint.resourceVersion())
                    .setAccessVersion(joint.accessVersion())));
    version
        .change()
        .ifPresent(change ->
            proto.setUpdateTime(ProtoTimes.toProto(change.at())).setUpdatedBy(change.by()));
    return proto.build();
  }

  static io.headgate.proto.policy.v1.AccessWarning toProto(AccessWarning warning) {
    var proto = io.headgate.proto.policy.v1.AccessWarning.newBuilder();
    return switch (warning) {
      case AccessWarning.Overcommitted(var reservedUnits, var total) ->
          proto
              .setReason("OVERCOMMITTED")
              .setMessage(
                  "reservations sum to "
                      + GpuQuantity.format(reservedUnits)
                      + " GPUs and the pools offer "
                      + total
                      + ": not all of them can be kept at once")
              .build();
      case AccessWarning.DepartmentOvercommitted over ->
          proto
              .setReason("OVERCOMMITTED")
              .setMessage(overcommitted(over))
              .setField(
                  "departments["
                      + over.department()
                      + "]."
                      + (over.isLimit() ? "limit" : "reservation"))
              .build();
      case AccessWarning.PoolOvercommitted over -> TenantPartMapping.toProto(over);
      case AccessWarning.UnpricedBudget unpriced -> BudgetMapping.toProto(unpriced);
      case AccessWarning.KeysRemain(var account, var keys) ->
          proto
              .setReason("KEYS_REMAIN")
              .setMessage(keysRemain(account, keys))
              .setField("groups")
              .build();
      case AccessWarning.MoreKeysRemain(var accounts) ->
          proto
              .setReason("KEYS_REMAIN")
              .setMessage(
                  "keys of "
                      + accounts
                      + " more accounts without a group remain: headgate keys shows them")
              .setField("groups")
              .build();
      case AccessWarning.UselessUserLimit(var policy, var perUser, var limit) ->
          proto
              .setReason("USELESS_USER_LIMIT")
              .setMessage(uselessUserLimit(policy, perUser, limit))
              .setField("policies[" + policy + "].per_user_limit")
              .build();
      case AccessWarning.NotInGroup(var policy, var index, var user, var group) ->
          proto
              .setReason("NOT_IN_GROUP")
              .setMessage(
                  "user '%s' may exceed the limit of policy '%s' but is not in its group '%s', so the grant has no effect"
                      .formatted(user, policy, group))
              .setField("policies[" + policy + "].exceed_limit[" + index + "]")
              .build();
    };
  }

  private static String overcommitted(AccessWarning.DepartmentOvercommitted over) {
    return "the members of department '%s' reserve %s GPUs together, above its %s of %s: not all of them can be kept at once"
        .formatted(
            over.department(),
            GpuQuantity.format(over.reservedUnits()),
            over.isLimit() ? "limit" : "reservation",
            over.bound());
  }

  private static String keysRemain(String account, int keys) {
    return keys
        + (keys == 1 ? " key of '" : " keys of '")
        + account
        + (keys == 1 ? "' remains" : "' remain")
        + ": it is in no group any more, and still signs in; to end that: headgate keys revoke --owner "
        + account;
  }

  private static String uselessUserLimit(PolicyId policy, GpuQuantity perUser, GpuQuantity limit) {
    return perUser.units() == 0
        ? "the limit of one user in policy '" + policy + "' is 0: no GPU job of it starts"
        : "the limit of one user in policy '%s' is %s, above the policy's limit of %s: it limits nothing"
            .formatted(policy, perUser, limit);
  }

  static GroupSpec spec(String id, Group group) {
    return new GroupSpec(
        id, group.getUsersList(), group.getServiceAccountsList(), group.getLeadsList());
  }

  static DepartmentSpec spec(String id, Department department) {
    return new DepartmentSpec(
        id,
        department.getDepartment(),
        department.getReservation(),
        department.getLimit(),
        department.getWeight(),
        department.hasBudget()
            ? Optional.of(BudgetMapping.spec(department.getBudget()))
            : Optional.empty());
  }

  /// @param path of the policy in the request
  static PolicySpec spec(String path, String id, Policy policy) {
    return new PolicySpec(
        id,
        policy.getGroup(),
        policy.getDepartment(),
        new RightsSpec(
            policy.getReservation(),
            policy.getLimit(),
            policy.getPerUserLimit(),
            policy.getWeight(),
            policy.getExceedLimitList()),
        new TermsSpec(
            switch (policy.getOnPreempt()) {
              case ON_PREEMPT_UNSPECIFIED, ON_PREEMPT_REQUEUE -> JobTerms.OnPreempt.REQUEUE;
              case ON_PREEMPT_CANCEL -> JobTerms.OnPreempt.CANCEL;
              case UNRECOGNIZED -> throw unchecked(policy.getOnPreemptValue());
            },
            policy.hasMinRuntime()
                ? duration(path + ".min_runtime", policy.getMinRuntime())
                : Optional.empty(),
            !policy.hasPreemptible() || policy.getPreemptible(),
            switch (policy.getPreemptWithin()) {
              case PREEMPT_WITHIN_UNSPECIFIED, PREEMPT_WITHIN_NEVER -> JobTerms.PreemptWithin.NEVER;
              case PREEMPT_WITHIN_LOWER_PRIORITY -> JobTerms.PreemptWithin.LOWER_PRIORITY;
              case UNRECOGNIZED -> throw unchecked(policy.getPreemptWithinValue());
            },
            policy.hasStopAfter()
                ? duration(path + ".stop_after", policy.getStopAfter())
                : Optional.empty(),
            policy.getStopAfterNever(),
            policy.hasPreemptAfter()
                ? duration(path + ".preempt_after", policy.getPreemptAfter())
                : Optional.empty(),
            grace(path + ".grace", policy.getGrace())),
        policy.hasBudget() ? Optional.of(BudgetMapping.spec(policy.getBudget())) : Optional.empty(),
        policy.getDescription());
  }

  private static Grace grace(String path, io.headgate.proto.policy.v1.Grace grace) {
    return new Grace(
        grace.hasCallback() ? duration(path + ".callback", grace.getCallback()) : Optional.empty(),
        grace.hasTerminate()
            ? duration(path + ".terminate", grace.getTerminate())
            : Optional.empty());
  }

  static QueueSpec spec(String id, Queue queue) {
    return new QueueSpec(
        id,
        queue.getPolicy(),
        queue.getProfile(),
        queue.getRank(),
        switch (queue.getOverReservation()) {
          case OVER_RESERVATION_UNSPECIFIED, OVER_RESERVATION_ALLOW -> true;
          case OVER_RESERVATION_DENY -> false;
          case UNRECOGNIZED -> throw unchecked(queue.getOverReservationValue());
        },
        queue.getPaused());
  }

  static AccessSpec spec(TenantId tenant, ReplaceAccessConfigurationRequest request) {
    AccessConfiguration proto = request.getConfiguration();
    boolean withVaults = request.getWithVaults() || proto.getVaultsCount() > 0;
    return new AccessSpec(
        proto.getGroupsList().stream()
            .map(group -> spec(id(tenant, GROUPS, group.getName()), group))
            .toList(),
        proto.getDepartmentsList().stream()
            .map(department -> spec(id(tenant, DEPARTMENTS, department.getName()), department))
            .toList(),
        proto.getPoliciesList().stream()
            .map(policy -> {
              String id = id(tenant, POLICIES, policy.getName());
              return spec(POLICIES + "[" + id + "]", id, policy);
            })
            .toList(),
        proto.getQueuesList().stream()
            .map(queue -> spec(id(tenant, QUEUES, queue.getName()), queue))
            .toList(),
        withVaults
            ? Optional.of(
                proto.getVaultsList().stream()
                    .map(vault -> VaultMapping.spec(id(tenant, VAULTS, vault.getName()), vault))
                    .toList())
            : Optional.empty(),
        switch (proto.getVisibility()) {
          case VISIBILITY_UNSPECIFIED, VISIBILITY_OWN -> Visibility.OWN;
          case VISIBILITY_TENANT -> Visibility.TENANT;
          case UNRECOGNIZED -> throw unchecked(proto.getVisibilityValue());
        },
        proto.getTenantsList().stream().map(TenantPartMapping::spec).toList(),
        proto.hasBudget() ? Optional.of(BudgetMapping.spec(proto.getBudget())) : Optional.empty());
  }

  /// The id in a name of this tenant. A name of another form is passed on whole, and the check of
  /// ids reports it with the other problems.
  private static String id(TenantId tenant, String collection, String name) {
    String prefix = name(tenant, collection, "");
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }

  static String name(TenantId tenant, String collection, String id) {
    return "tenants/" + tenant + "/" + collection + "/" + id;
  }

  private static Optional<Duration> duration(String field, com.google.protobuf.Duration duration) {
    return Optional.of(ProtoTimes.duration(field, duration));
  }

  /// Validation refuses such values before an endpoint sees them.
  static IllegalStateException unchecked(int value) {
    return new IllegalStateException("an undefined enum value came through: " + value);
  }
}
