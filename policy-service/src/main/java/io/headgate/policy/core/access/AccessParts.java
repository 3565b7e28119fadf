package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.AccessSpec.VaultSpec;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.VaultId;
import java.util.List;
import java.util.Optional;

/// The four parts of an access configuration.
public final class AccessParts {
  public static final AccessPart<GroupId, Group, GroupSpec> GROUPS = new Groups();
  public static final AccessPart<PolicyId, Policy, PolicySpec> POLICIES = new Policies();
  public static final AccessPart<QueueId, Queue, QueueSpec> QUEUES = new Queues();
  public static final AccessPart<VaultId, Vault, VaultSpec> VAULTS = new Vaults();

  private AccessParts() {}

  private static final class Groups implements AccessPart<GroupId, Group, GroupSpec> {
    @Override
    public Kind kind() {
      return Kind.GROUP;
    }

    @Override
    public int max() {
      return AccessConfiguration.MAX_GROUPS;
    }

    @Override
    public GroupId id(Group group) {
      return group.id();
    }

    @Override
    public GroupId specId(GroupSpec spec) {
      return new GroupId(spec.id());
    }

    @Override
    public List<Group> all(AccessConfiguration configuration) {
      return configuration.groups();
    }

    @Override
    public AccessConfiguration with(AccessConfiguration configuration, Group group) {
      return configuration.with(group);
    }

    @Override
    public AccessConfiguration without(AccessConfiguration configuration, GroupId id) {
      return configuration.without(id);
    }

    @Override
    public Optional<Group> read(Problems<Denial> problems, GroupSpec spec) {
      return new SpecReader(problems).group("group", spec);
    }

    @Override
    public Optional<Denial> stillNeeded(AccessConfiguration configuration, GroupId id) {
      List<String> policies =
          configuration.policies().stream()
              .filter(policy -> policy.group().equals(id))
              .map(policy -> policy.id().value())
              .toList();
      if (!policies.isEmpty()) {
        return Optional.of(new Denial.GroupInUse(id.value(), policies));
      }
      // A vault that loses its last group would apply to all jobs of the tenant.
      List<String> vaults =
          configuration.vaults().stream()
              .filter(vault -> vault.groups().contains(id))
              .map(vault -> vault.id().value())
              .toList();
      return vaults.isEmpty()
          ? Optional.empty()
          : Optional.of(new Denial.GroupInVault(id.value(), vaults));
    }
  }

  private static final class Policies implements AccessPart<PolicyId, Policy, PolicySpec> {
    private static final String FIELD = "policy";

    @Override
    public Kind kind() {
      return Kind.POLICY;
    }

    @Override
    public int max() {
      return AccessConfiguration.MAX_POLICIES;
    }

    @Override
    public PolicyId id(Policy policy) {
      return policy.id();
    }

    @Override
    public PolicyId specId(PolicySpec spec) {
      return new PolicyId(spec.id());
    }

    @Override
    public List<Policy> all(AccessConfiguration configuration) {
      return configuration.policies();
    }

    @Override
    public AccessConfiguration with(AccessConfiguration configuration, Policy policy) {
      return configuration.with(policy);
    }

    @Override
    public AccessConfiguration without(AccessConfiguration configuration, PolicyId id) {
      return configuration.without(id);
    }

    @Override
    public Optional<Policy> read(Problems<Denial> problems, PolicySpec spec) {
      return new SpecReader(problems).policy(FIELD, spec);
    }

    @Override
    public List<String> exceeding(PolicySpec spec) {
      return spec.rights().exceedLimit();
    }

    @Override
    public boolean relate(
        AccessState state,
        AccessConfiguration next,
        Policy policy,
        Optional<Policy> before,
        Problems<Denial> problems) {
      Relations relations = Relations.of(state, next, next.queues(), problems);
      relations.policy(FIELD, policy);
      boolean fell =
          before.isPresent()
              && policy.rights().limit().compareTo(before.get().rights().limit()) < 0;
      if (fell) {
        List<Queue> own =
            next.queues().stream().filter(queue -> queue.policy().equals(policy.id())).toList();
        relations.limit(FIELD, policy, own);
      }
      return relations.isSupplyNeeded();
    }
  }

  private static final class Queues implements AccessPart<QueueId, Queue, QueueSpec> {
    private static final String FIELD = "queue";

    @Override
    public Kind kind() {
      return Kind.QUEUE;
    }

    @Override
    public int max() {
      return AccessConfiguration.MAX_QUEUES;
    }

    @Override
    public QueueId id(Queue queue) {
      return queue.id();
    }

    @Override
    public QueueId specId(QueueSpec spec) {
      return new QueueId(spec.id());
    }

    @Override
    public List<Queue> all(AccessConfiguration configuration) {
      return configuration.queues();
    }

    @Override
    public AccessConfiguration with(AccessConfiguration configuration, Queue queue) {
      return configuration.with(queue);
    }

    @Override
    public AccessConfiguration without(AccessConfiguration configuration, QueueId id) {
      return configuration.without(id);
    }

    @Override
    public Optional<Queue> read(Problems<Denial> problems, QueueSpec spec) {
      return new SpecReader(problems).queue(FIELD, spec);
    }

    @Override
    public boolean relate(
        AccessState state,
        AccessConfiguration next,
        Queue queue,
        Optional<Queue> before,
        Problems<Denial> problems) {
      List<Queue> others = next.without(queue.id()).queues();
      Relations relations = Relations.of(state, next, others, problems);
      boolean connects =
          before.isEmpty()
              || !before.get().policy().equals(queue.policy())
              || !before.get().profile().equals(queue.profile());
      relations.queue(FIELD, queue, connects);
      return relations.isSupplyNeeded();
    }
  }

  private static final class Vaults implements AccessPart<VaultId, Vault, VaultSpec> {
    private static final String FIELD = "vault";

    @Override
    public Kind kind() {
      return Kind.VAULT;
    }

    @Override
    public int max() {
      return AccessConfiguration.MAX_VAULTS;
    }

    @Override
    public VaultId id(Vault vault) {
      return vault.id();
    }

    @Override
    public VaultId specId(VaultSpec spec) {
      return new VaultId(spec.id());
    }

    @Override
    public List<Vault> all(AccessConfiguration configuration) {
      return configuration.vaults();
    }

    @Override
    public AccessConfiguration with(AccessConfiguration configuration, Vault vault) {
      return configuration.with(vault);
    }

    @Override
    public AccessConfiguration without(AccessConfiguration configuration, VaultId id) {
      return configuration.without(id);
    }

    @Override
    public Optional<Vault> read(Problems<Denial> problems, VaultSpec spec) {
      return new VaultReader(problems).vault(FIELD, spec);
    }

    @Override
    public boolean relate(
        AccessState state,
        AccessConfiguration next,
        Vault vault,
        Optional<Vault> before,
        Problems<Denial> problems) {
      List<Vault> others = next.without(vault.id()).vaults();
      Relations.of(state, next, next.queues(), problems).vault(FIELD, vault, others);
      return false;
    }
  }
}
