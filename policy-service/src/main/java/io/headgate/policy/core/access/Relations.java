package io.headgate.policy.core.access;

import io.headgate.kit.decision.NearestWord;
import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.UserId;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Checks the references between groups, departments, policies, queues and vaults, and their fit to
/// the supply.
final class Relations {
  private record Pair(PolicyId policy, ProfileId profile) {}

  /// The ids that may be referred to.
  ///
  /// @param users the existing ones of the users in exceed-limit grants
  record Declared(
      Set<String> groups, Set<String> departments, Set<String> policies, Set<String> users) {
    Declared() {
      this(new TreeSet<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    }

    static Declared by(AccessConfiguration configuration, Set<UserId> users) {
      Declared declared = new Declared();
      users.forEach(user -> declared.users().add(user.value()));
      for (Group group : configuration.groups()) {
        declared.groups().add(group.id().value());
        group.users().forEach(user -> declared.users().add(user.value()));
      }
      configuration
          .departments()
          .forEach(department -> declared.departments().add(department.id().value()));
      configuration.policies().forEach(policy -> declared.policies().add(policy.id().value()));
      return declared;
    }
  }

  private final Declared declared;
  private final Map<PolicyId, Policy> policies = new HashMap<>();
  private final Map<Pair, QueueId> connections = new HashMap<>();
  private final Optional<Supply> supply;
  private final Problems<Denial> problems;
  private boolean supplyNeeded;

  /// @param policies whose limits count
  /// @param settled queues that are not checked, but whose connections count
  Relations(
      Declared declared,
      List<Policy> policies,
      List<Queue> settled,
      Optional<Supply> supply,
      Problems<Denial> problems) {
    this.declared = declared;
    policies.forEach(policy -> this.policies.put(policy.id(), policy));
    settled.forEach(queue -> connections.put(pair(queue), queue.id()));
    this.supply = supply;
    this.problems = problems;
  }

  /// Relations within `next`.
  ///
  /// @param settled queues that are not checked, but whose connections count
  static Relations of(
      AccessState state, AccessConfiguration next, List<Queue> settled, Problems<Denial> problems) {
    return new Relations(
        Declared.by(next, state.users()), next.policies(), settled, state.supply(), problems);
  }

  /// Whether a check was left out because it needs the supply.
  boolean isSupplyNeeded() {
    return supplyNeeded;
  }

  void department(String path, Department department) {
    department.parent().ifPresent(parent -> department(path, parent));
  }

  private void department(String path, DepartmentId id) {
    known(path + ".department", Kind.DEPARTMENT, id.value(), declared.departments());
  }

  void policy(String path, Policy policy) {
    known(path + ".group", Kind.GROUP, policy.group().value(), declared.groups());
    policy.department().ifPresent(department -> department(path, department));
    List<UserId> exceeding = policy.rights().exceedLimit();
    for (int i = 0; i < exceeding.size(); i++) {
      String field = path + ".exceed_limit[" + i + "]";
      known(field, Kind.USER, exceeding.get(i).value(), declared.users());
    }
  }

  /// @param withSupply whether to check the profile; false for a queue that keeps its profile, so
  ///   that a vanished profile blocks no other edit
  void queue(String path, Queue queue, boolean withSupply) {
    known(path + ".policy", Kind.POLICY, queue.policy().value(), declared.policies());
    QueueId other = connections.putIfAbsent(pair(queue), queue.id());
    if (other != null) {
      problems.add(
          new Denial.AlreadyConnected(
              path + ".profile", queue.profile().value(), queue.policy().value(), other.value()));
    }
    if (!withSupply) {
      return;
    }
    if (supply.isEmpty()) {
      supplyNeeded = true;
      return;
    }
    GpuQuantity need = supply.get().needs().get(queue.profile());
    Policy policy = policies.get(queue.policy());
    if (need == null) {
      Set<String> profiles = new TreeSet<>();
      supply.get().needs().keySet().forEach(profile -> profiles.add(profile.value()));
      known(path + ".profile", Kind.PROFILE, queue.profile().value(), profiles);
    } else if (policy != null) {
      fits(path + ".profile", queue, policy, need);
    }
  }

  /// For a policy whose limit fell: what its queues need must still fit. A profile that is no
  /// longer provisioned needs nothing.
  void limit(String path, Policy policy, Collection<Queue> queues) {
    for (Queue queue : queues) {
      if (supply.isEmpty()) {
        supplyNeeded = true;
        return;
      }
      GpuQuantity need = supply.get().needs().get(queue.profile());
      if (need != null) {
        fits(path + ".limit", queue, policy, need);
      }
    }
  }

  /// @param others vaults that are not this one
  void vault(String path, Vault vault, List<Vault> others) {
    for (int i = 0; i < vault.groups().size(); i++) {
      String field = path + ".groups[" + i + "]";
      known(field, Kind.GROUP, vault.groups().get(i).value(), declared.groups());
    }
    for (Vault other : others) {
      vault
          .conflict(other)
          .ifPresent(variable ->
              problems.add(
                  new Denial.VariableConflict(
                      path + ".environment[" + variable + "]", variable, other.id().value())));
    }
    environment(path + ".environment", vault, others);
  }

  private void environment(String field, Vault vault, List<Vault> others) {
    Map<GroupId, Integer> named = new HashMap<>();
    int ofAll = 0;
    List<Vault> together = new ArrayList<>(others);
    together.add(vault);
    for (Vault each : together) {
      int bytes = each.environmentBytes();
      if (each.groups().isEmpty()) {
        ofAll += bytes;
      }
      each.groups().forEach(group -> named.merge(group, bytes, Integer::sum));
    }
    int most = ofAll;
    for (GroupId group : vault.groups().isEmpty() ? named.keySet() : vault.groups()) {
      most = Math.max(most, ofAll + named.getOrDefault(group, 0));
    }
    if (most > AccessConfiguration.MAX_ENVIRONMENT_BYTES) {
      problems.add(
          new Denial.EnvironmentTooLarge(field, most, AccessConfiguration.MAX_ENVIRONMENT_BYTES));
    }
  }

  private void fits(String field, Queue queue, Policy policy, GpuQuantity need) {
    GpuQuantity limit = policy.rights().limit();
    if (need.compareTo(limit) > 0) {
      problems.add(
          new Denial.ProfileAboveLimit(
              field,
              queue.id().value(),
              queue.profile().value(),
              need,
              policy.id().value(),
              limit));
    }
  }

  private void known(String field, Kind kind, String id, Set<String> known) {
    if (!known.contains(id)) {
      problems.add(new Denial.Unknown(field, kind, id, NearestWord.of(id, known)));
    }
  }

  private static Pair pair(Queue queue) {
    return new Pair(queue.policy(), queue.profile());
  }
}
