package io.headgate.policy.core.access;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.Problems;
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
import java.util.function.Supplier;

/// Decides on edits of one group, policy, queue or vault. Only what the edit touches is checked, so
/// that a profile that vanished from the supply does not stop work on something else.
public final class AccessEdit {
  /// Whether the edit makes something new or changes what is there.
  public enum Mode {
    CREATE,
    UPDATE
  }

  private static final String GROUP = "group";
  private static final String POLICY = "policy";
  private static final String QUEUE = "queue";
  private static final String VAULT = "vault";

  private AccessEdit() {}

  public static AccessDecision put(AccessState state, Mode mode, GroupSpec spec) {
    Problems problems = new Problems();
    Optional<Group> read = new SpecReader(problems).group(GROUP, spec);
    if (read.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    Group group = read.get();
    AccessConfiguration current = state.current();
    Optional<Denial> misplaced =
        existence(mode, Kind.GROUP, group.id().value(), current.group(group.id()));
    if (misplaced.isPresent()) {
      return AccessDecision.denied(misplaced.get());
    }
    AccessConfiguration next = current.with(group);
    bounded(Kind.GROUP, next.groups().size(), AccessConfiguration.MAX_GROUPS, problems);
    return decision(problems, false, () -> next);
  }

  public static AccessDecision put(AccessState state, Mode mode, PolicySpec spec) {
    Problems problems = new Problems();
    Optional<Policy> read = new SpecReader(problems).policy(POLICY, spec);
    if (read.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    Policy policy = read.get();
    AccessConfiguration current = state.current();
    Optional<Policy> before = current.policy(policy.id());
    Optional<Denial> misplaced = existence(mode, Kind.POLICY, policy.id().value(), before);
    if (misplaced.isPresent()) {
      return AccessDecision.denied(misplaced.get());
    }
    AccessConfiguration next = current.with(policy);
    bounded(Kind.POLICY, next.policies().size(), AccessConfiguration.MAX_POLICIES, problems);
    Relations relations = relations(state, next, next.queues(), problems);
    relations.policy(POLICY, policy);
    boolean fell =
        before.isPresent() && policy.rights().limit().compareTo(before.get().rights().limit()) < 0;
    if (fell) {
      List<Queue> own =
          next.queues().stream().filter(queue -> queue.policy().equals(policy.id())).toList();
      relations.limit(POLICY, policy, own);
    }
    return decision(problems, relations.isSupplyNeeded(), () -> next);
  }

  public static AccessDecision put(AccessState state, Mode mode, QueueSpec spec) {
    Problems problems = new Problems();
    Optional<Queue> read = new SpecReader(problems).queue(QUEUE, spec);
    if (read.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    Queue queue = read.get();
    AccessConfiguration current = state.current();
    Optional<Queue> before = current.queue(queue.id());
    Optional<Denial> misplaced = existence(mode, Kind.QUEUE, queue.id().value(), before);
    if (misplaced.isPresent()) {
      return AccessDecision.denied(misplaced.get());
    }
    AccessConfiguration next = current.with(queue);
    bounded(Kind.QUEUE, next.queues().size(), AccessConfiguration.MAX_QUEUES, problems);
    Relations relations = relations(state, next, current.without(queue.id()).queues(), problems);
    boolean connects =
        before.isEmpty()
            || !before.get().policy().equals(queue.policy())
            || !before.get().profile().equals(queue.profile());
    relations.queue(QUEUE, queue, connects);
    return decision(problems, relations.isSupplyNeeded(), () -> next);
  }

  public static AccessDecision put(AccessState state, Mode mode, VaultSpec spec) {
    Problems problems = new Problems();
    Optional<Vault> read = new VaultReader(problems).vault(VAULT, spec);
    if (read.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    Vault vault = read.get();
    AccessConfiguration current = state.current();
    Optional<Denial> misplaced =
        existence(mode, Kind.VAULT, vault.id().value(), current.vault(vault.id()));
    if (misplaced.isPresent()) {
      return AccessDecision.denied(misplaced.get());
    }
    AccessConfiguration next = current.with(vault);
    bounded(Kind.VAULT, next.vaults().size(), AccessConfiguration.MAX_VAULTS, problems);
    relations(state, next, next.queues(), problems)
        .vault(VAULT, vault, current.without(vault.id()).vaults());
    return decision(problems, false, () -> next);
  }

  public static AccessDecision remove(AccessConfiguration current, GroupId id) {
    if (current.group(id).isEmpty()) {
      return AccessDecision.denied(new Denial.NotFound(Kind.GROUP, id.value()));
    }
    List<String> policies =
        current.policies().stream()
            .filter(policy -> policy.group().equals(id))
            .map(policy -> policy.id().value())
            .toList();
    if (!policies.isEmpty()) {
      return AccessDecision.denied(new Denial.GroupInUse(id.value(), policies));
    }
    // Taken out of its last vault it would leave one that holds for everybody.
    List<String> vaults =
        current.vaults().stream()
            .filter(vault -> vault.groups().contains(id))
            .map(vault -> vault.id().value())
            .toList();
    return vaults.isEmpty()
        ? AccessDecision.accepted(current.without(id))
        : AccessDecision.denied(new Denial.GroupInVault(id.value(), vaults));
  }

  public static AccessDecision remove(AccessConfiguration current, PolicyId id) {
    return current.policy(id).isEmpty()
        ? AccessDecision.denied(new Denial.NotFound(Kind.POLICY, id.value()))
        : AccessDecision.accepted(current.without(id));
  }

  public static AccessDecision remove(AccessConfiguration current, QueueId id) {
    return current.queue(id).isEmpty()
        ? AccessDecision.denied(new Denial.NotFound(Kind.QUEUE, id.value()))
        : AccessDecision.accepted(current.without(id));
  }

  public static AccessDecision remove(AccessConfiguration current, VaultId id) {
    return current.vault(id).isEmpty()
        ? AccessDecision.denied(new Denial.NotFound(Kind.VAULT, id.value()))
        : AccessDecision.accepted(current.without(id));
  }

  private static Relations relations(
      AccessState state, AccessConfiguration next, List<Queue> settled, Problems problems) {
    return new Relations(
        Relations.Declared.by(next, state.users()),
        next.policies(),
        settled,
        state.supply(),
        problems);
  }

  /// Something that is there cannot be made, and something that is not cannot be changed; what else
  /// may be wrong with it does not matter then.
  private static Optional<Denial> existence(Mode mode, Kind kind, String id, Optional<?> before) {
    return switch (mode) {
      case CREATE -> before.map(_ -> new Denial.NameTaken(field(kind), kind, id));
      case UPDATE ->
          before.isPresent() ? Optional.empty() : Optional.of(new Denial.NotFound(kind, id));
    };
  }

  private static void bounded(Kind kind, int count, int max, Problems problems) {
    if (count > max) {
      problems.add(new Denial.TooMany(field(kind), kind, max));
    }
  }

  /// The request's field that carries the id of what is made.
  private static String field(Kind kind) {
    return kind.word() + "_id";
  }

  private static AccessDecision decision(
      Problems problems, boolean supplyNeeded, Supplier<AccessConfiguration> next) {
    if (!problems.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    return supplyNeeded ? new AccessDecision.SupplyNeeded() : AccessDecision.accepted(next.get());
  }
}
