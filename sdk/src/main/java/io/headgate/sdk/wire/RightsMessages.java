package io.headgate.sdk.wire;

import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.WhoAmIResponse;
import io.headgate.sdk.config.Department;
import io.headgate.sdk.config.Group;
import io.headgate.sdk.config.Policy;
import io.headgate.sdk.config.TenantPart;
import io.headgate.sdk.config.Vault;
import io.headgate.sdk.config.Visibility;
import io.headgate.sdk.model.Identity;
import io.headgate.sdk.model.IssuedKey;
import io.headgate.sdk.model.JoinToken;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/// Maps groups, departments, policies, queues and vaults between messages and records.
public final class RightsMessages {
  /// Stands for a value that the server cannot decrypt.
  private static final String UNREADABLE = "(cannot be decrypted)";

  private RightsMessages() {}

  public static Group group(io.headgate.proto.policy.v1.Group group) {
    return new Group(
        ResourceNames.id(group.getName()),
        group.getUsersList(),
        group.getServiceAccountsList(),
        group.getLeadsList());
  }

  static Visibility visibility(AccessConfiguration access) {
    return access.getVisibility() == AccessConfiguration.Visibility.VISIBILITY_TENANT
        ? Visibility.TENANT
        : Visibility.OWN;
  }

  static AccessConfiguration.Visibility visibility(Visibility visibility) {
    return switch (visibility) {
      case OWN -> AccessConfiguration.Visibility.VISIBILITY_OWN;
      case TENANT -> AccessConfiguration.Visibility.VISIBILITY_TENANT;
    };
  }

  static io.headgate.proto.policy.v1.Group group(String tenant, Group group) {
    return io.headgate.proto.policy.v1.Group.newBuilder()
        .setName(ResourceNames.of(tenant, "groups", group.name()))
        .addAllUsers(group.users())
        .addAllServiceAccounts(group.serviceAccounts())
        .addAllLeads(group.leads())
        .build();
  }

  static TenantPart part(io.headgate.proto.policy.v1.TenantPart part) {
    return new TenantPart(
        ResourceNames.id(part.getName()),
        part.getPoolsList(),
        Objects.requireNonNullElse(
            ValueMessages.gpusOrNull(part.getReservation()), GpuQuantity.ZERO),
        ValueMessages.gpusOrNull(part.getLimit()),
        Math.max(1, part.getWeight()));
  }

  static io.headgate.proto.policy.v1.TenantPart part(TenantPart part) {
    return io.headgate.proto.policy.v1.TenantPart.newBuilder()
        .setName(ResourceNames.tenant(part.name()))
        .addAllPools(part.pools())
        .setReservation(part.reservation().toString())
        .setLimit(ValueMessages.text(part.limit()))
        .setWeight(part.weight())
        .build();
  }

  public static Department department(io.headgate.proto.policy.v1.Department department) {
    return new Department(
        ResourceNames.id(department.getName()),
        ValueMessages.textOrNull(department.getDepartment()),
        ValueMessages.gpusOrNull(department.getReservation()),
        ValueMessages.gpusOrNull(department.getLimit()),
        Math.max(1, department.getWeight()),
        department.hasBudget() ? BudgetMessages.budget(department.getBudget()) : null,
        null);
  }

  static io.headgate.proto.policy.v1.Department department(String tenant, Department department) {
    io.headgate.proto.policy.v1.Department.Builder message =
        io.headgate.proto.policy.v1.Department.newBuilder()
            .setName(ResourceNames.of(tenant, "departments", department.name()))
            .setDepartment(ValueMessages.text(department.department()))
            .setReservation(ValueMessages.text(department.reservation()))
            .setLimit(ValueMessages.text(department.limit()))
            .setWeight(department.weight());
    if (department.budget() != null) {
      message.setBudget(BudgetMessages.budget(department.budget()));
    }
    return message.build();
  }

  /// A policy with its queues.
  ///
  /// @param queues those of this policy
  public static Policy policy(
      io.headgate.proto.policy.v1.Policy policy, List<Policy.Queue> queues) {
    return new Policy(
        ResourceNames.id(policy.getName()),
        policy.getGroup(),
        ValueMessages.textOrNull(policy.getDepartment()),
        ValueMessages.gpus(policy.getReservation()),
        ValueMessages.gpus(policy.getLimit()),
        Math.max(1, policy.getWeight()),
        ValueMessages.gpusOrNull(policy.getPerUserLimit()),
        policy.getExceedLimitList(),
        policy.getOnPreempt() == io.headgate.proto.policy.v1.Policy.OnPreempt.ON_PREEMPT_CANCEL
            ? Policy.OnPreempt.CANCEL
            : Policy.OnPreempt.REQUEUE,
        TimeMessages.duration(policy.getMinRuntime()),
        !policy.hasPreemptible() || policy.getPreemptible(),
        policy.getPreemptWithin()
                == io.headgate.proto.policy.v1.Policy.PreemptWithin.PREEMPT_WITHIN_LOWER_PRIORITY
            ? Policy.PreemptWithin.LOWER_PRIORITY
            : Policy.PreemptWithin.NEVER,
        stopAfter(policy),
        TimeMessages.duration(policy.getPreemptAfter()),
        grace(policy.getGrace()),
        policy.hasBudget() ? BudgetMessages.budget(policy.getBudget()) : null,
        ValueMessages.textOrNull(policy.getDescription()),
        queues,
        null);
  }

  private static Policy.Grace grace(io.headgate.proto.policy.v1.Grace grace) {
    return new Policy.Grace(
        grace.hasCallback() ? TimeMessages.duration(grace.getCallback()) : null,
        grace.hasTerminate() ? TimeMessages.duration(grace.getTerminate()) : null);
  }

  private static java.time.@org.jspecify.annotations.Nullable Duration stopAfter(
      io.headgate.proto.policy.v1.Policy policy) {
    if (policy.getStopAfterNever()) {
      return null;
    }
    return policy.hasStopAfter()
        ? TimeMessages.duration(policy.getStopAfter())
        : Policy.DEFAULT_STOP_AFTER;
  }

  static io.headgate.proto.policy.v1.Policy policy(String tenant, Policy policy) {
    io.headgate.proto.policy.v1.Policy.Builder message =
        io.headgate.proto.policy.v1.Policy.newBuilder()
            .setName(ResourceNames.of(tenant, "policies", policy.name()))
            .setGroup(policy.group())
            .setDepartment(ValueMessages.text(policy.department()))
            .setReservation(policy.reservation().toString())
            .setLimit(policy.limit().toString())
            .setWeight(policy.weight())
            .setPerUserLimit(ValueMessages.text(policy.perUserLimit()))
            .addAllExceedLimit(policy.exceedLimit())
            .setOnPreempt(
                switch (policy.onPreempt()) {
                  case REQUEUE -> io.headgate.proto.policy.v1.Policy.OnPreempt.ON_PREEMPT_REQUEUE;
                  case CANCEL -> io.headgate.proto.policy.v1.Policy.OnPreempt.ON_PREEMPT_CANCEL;
                })
            .setMinRuntime(TimeMessages.duration(policy.minRuntime()))
            .setPreemptible(policy.preemptible())
            .setPreemptWithin(
                switch (policy.preemptWithin()) {
                  case NEVER ->
                      io.headgate.proto.policy.v1.Policy.PreemptWithin.PREEMPT_WITHIN_NEVER;
                  case LOWER_PRIORITY ->
                      io.headgate.proto.policy.v1.Policy.PreemptWithin
                          .PREEMPT_WITHIN_LOWER_PRIORITY;
                })
            .setPreemptAfter(TimeMessages.duration(policy.preemptAfter()))
            .setDescription(ValueMessages.text(policy.description()));
    if (!policy.grace().equals(Policy.Grace.NONE)) {
      message.setGrace(grace(policy.grace()));
    }
    if (policy.budget() != null) {
      message.setBudget(BudgetMessages.budget(policy.budget()));
    }
    if (policy.stopAfter() == null) {
      message.setStopAfterNever(true);
    } else {
      message.setStopAfter(TimeMessages.duration(policy.stopAfter()));
    }
    return message.build();
  }

  private static io.headgate.proto.policy.v1.Grace grace(Policy.Grace grace) {
    io.headgate.proto.policy.v1.Grace.Builder message =
        io.headgate.proto.policy.v1.Grace.newBuilder();
    if (grace.callback() != null) {
      message.setCallback(TimeMessages.duration(grace.callback()));
    }
    if (grace.terminate() != null) {
      message.setTerminate(TimeMessages.duration(grace.terminate()));
    }
    return message.build();
  }

  public static Policy.Queue queue(io.headgate.proto.policy.v1.Queue queue) {
    return new Policy.Queue(
        ResourceNames.id(queue.getName()),
        queue.getProfile(),
        Math.max(1, queue.getRank()),
        queue.getOverReservation()
                == io.headgate.proto.policy.v1.Queue.OverReservation.OVER_RESERVATION_DENY
            ? Policy.OverReservation.DENY
            : Policy.OverReservation.ALLOW);
  }

  /// A queue of a policy.
  ///
  /// @param paused not part of a file: operators pause queues, and an apply keeps the pause
  static io.headgate.proto.policy.v1.Queue queue(
      String tenant, String policy, Policy.Queue queue, boolean paused) {
    return io.headgate.proto.policy.v1.Queue.newBuilder()
        .setName(ResourceNames.of(tenant, "queues", queue.name()))
        .setPolicy(policy)
        .setProfile(queue.profile())
        .setRank(queue.rank())
        .setOverReservation(
            switch (queue.overReservation()) {
              case ALLOW ->
                  io.headgate.proto.policy.v1.Queue.OverReservation.OVER_RESERVATION_ALLOW;
              case DENY -> io.headgate.proto.policy.v1.Queue.OverReservation.OVER_RESERVATION_DENY;
            })
        .setPaused(paused)
        .build();
  }

  public static Vault vault(io.headgate.proto.policy.v1.Vault vault) {
    TreeMap<String, String> environment = new TreeMap<>(vault.getEnvironmentMap());
    vault.getUnreadableVariablesList().forEach(name -> environment.put(name, UNREADABLE));
    return new Vault(
        ResourceNames.id(vault.getName()),
        vault.getGroupsList(),
        vault.getImagesList(),
        vault.getRequireImage(),
        vault.getRequireDigest(),
        vault.getCommandsList(),
        environment,
        vault.getEnvironmentHidden(),
        ValueMessages.textOrNull(vault.getDescription()));
  }

  static io.headgate.proto.policy.v1.Vault vault(String tenant, Vault vault) {
    // The server refuses a vault with variables that were exported without their values.
    TreeMap<String, String> environment = new TreeMap<>(vault.environment());
    environment.values().removeIf(UNREADABLE::equals);
    TreeSet<String> unreadable = new TreeSet<>(vault.environment().keySet());
    unreadable.removeAll(environment.keySet());
    return io.headgate.proto.policy.v1.Vault.newBuilder()
        .setName(ResourceNames.of(tenant, "vaults", vault.name()))
        .addAllGroups(vault.groups())
        .addAllImages(vault.images())
        .setRequireImage(vault.requireImage())
        .setRequireDigest(vault.requireDigest())
        .addAllCommands(vault.commands())
        .putAllEnvironment(environment)
        .addAllUnreadableVariables(unreadable)
        .setEnvironmentHidden(vault.environmentHidden())
        .setDescription(ValueMessages.text(vault.description()))
        .build();
  }

  public static Identity identity(WhoAmIResponse response) {
    String role = response.getRole();
    return new Identity(
        response.getSubject(),
        role.startsWith("ROLE_") ? role.substring("ROLE_".length()) : role,
        response.getTenant(),
        response.getGroupsList(),
        response.getQueuesList());
  }

  public static IssuedKey key(io.headgate.proto.policy.v1.Key key) {
    return new IssuedKey(
        key.getName(),
        key.getOwner(),
        key.getDescription(),
        TimeMessages.instant(key.getCreateTime()),
        key.hasExpireTime() ? TimeMessages.instant(key.getExpireTime()) : null,
        key.hasLastUseTime() ? TimeMessages.instant(key.getLastUseTime()) : null,
        key.getOwnerWithoutGroup(),
        key.getMachineKey().isEmpty() ? null : key.getMachineKey());
  }

  public static JoinToken joinToken(io.headgate.proto.policy.v1.JoinToken token) {
    return new JoinToken(
        token.getName(),
        token.getPool(),
        token.getUses(),
        token.getUsesLeft(),
        TimeMessages.instant(token.getCreateTime()),
        TimeMessages.instant(token.getExpireTime()));
  }
}
