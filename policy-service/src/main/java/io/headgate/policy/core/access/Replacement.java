package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.DepartmentSpec;
import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.AccessSpec.VaultSpec;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.UserId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Decides whether a whole configuration may replace the one in force. Everything is checked,
/// including unchanged parts. All faults are reported together, by paths such as
/// `policies[rnd].reservation`.
public final class Replacement {
  /// Whether an equal configuration is accepted without the supply, or checked against it anyway
  /// because the request names another supply than the provisioned one.
  public enum Thoroughness {
    CHANGES_ONLY,
    EVERYTHING
  }

  private Replacement() {}

  public static AccessDecision decide(
      AccessState state, AccessSpec spec, Thoroughness thoroughness) {
    Problems<Denial> problems = new Problems<>();
    SpecReader reader = new SpecReader(problems);
    List<Group> groups =
        reader.each("groups", Kind.GROUP, spec.groups(), GroupSpec::id, reader::group);
    List<Department> departments =
        reader.each(
            "departments",
            Kind.DEPARTMENT,
            spec.departments(),
            DepartmentSpec::id,
            reader::department);
    List<Policy> policies =
        reader.each("policies", Kind.POLICY, spec.policies(), PolicySpec::id, reader::policy);
    List<Queue> queues =
        reader.each("queues", Kind.QUEUE, spec.queues(), QueueSpec::id, reader::queue);
    VaultReader vaultReader = new VaultReader(problems);
    List<Vault> vaults =
        spec.vaults()
            .map(wanted ->
                reader.each("vaults", Kind.VAULT, wanted, VaultSpec::id, vaultReader::vault))
            .orElse(state.current().vaults());
    List<TenantPart> parts = new TenantPartReader(reader, problems).read(spec.tenants());
    Optional<Budget> budget =
        spec.budget().flatMap(wanted -> new BudgetReader(problems).read("budget", wanted));
    requireOwnKinds(state, spec, problems);
    AccessConfiguration next =
        new AccessConfiguration(
            groups, departments, policies, queues, vaults, spec.visibility(), parts, budget);
    if (problems.isEmpty()
        && next.equals(state.current())
        && thoroughness == Thoroughness.CHANGES_ONLY) {
      return AccessDecision.accepted(next);
    }
    boolean needsSupply =
        !next.policies().isEmpty() || !spec.queues().isEmpty() || !parts.isEmpty();
    if (state.supply().isEmpty() && needsSupply) {
      return new AccessDecision.SupplyNeeded();
    }
    return relate(state, spec, next, problems);
  }

  private static AccessDecision relate(
      AccessState state, AccessSpec spec, AccessConfiguration next, Problems<Denial> problems) {
    Relations.Declared declared = declared(spec, state.users());
    Relations relations =
        new Relations(declared, next.policies(), List.of(), state.supply(), problems);
    for (Department department : next.departments()) {
      relations.department(SpecReader.path("departments", department.id().value()), department);
    }
    new DepartmentTree(next.departments()).check(problems);
    for (Policy policy : next.policies()) {
      relations.policy(SpecReader.path("policies", policy.id().value()), policy);
    }
    for (Queue queue : next.queues()) {
      relations.queue(SpecReader.path("queues", queue.id().value()), queue, true);
    }
    for (int i = 0; i < next.vaults().size(); i++) {
      Vault vault = next.vaults().get(i);
      if (spec.vaults().isEmpty()) {
        stays(vault, declared.groups(), problems);
      } else {
        // Each pair once.
        relations.vault(
            SpecReader.path("vaults", vault.id().value()), vault, next.vaults().subList(0, i));
      }
    }
    if (state.sharers().isPresent() && state.supply().isPresent()) {
      new TenantPartReader(new SpecReader(problems), problems)
          .relate(next.tenants(), state.sharers().get(), state.supply().get());
    }
    if (!problems.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    return new AccessDecision.Accepted(
        next, state.supply().map(supply -> AccessWarning.about(next, supply)).orElse(List.of()));
  }

  /// The owner of shared pools has parts of tenants and nothing else; all others have no parts.
  private static void requireOwnKinds(
      AccessState state, AccessSpec spec, Problems<Denial> problems) {
    boolean isPlatform = state.sharers().isPresent();
    if (!isPlatform && !spec.tenants().isEmpty()) {
      problems.add(new Denial.PartsOfPlatformOnly("tenants"));
    }
    boolean isOther =
        !spec.groups().isEmpty()
            || !spec.departments().isEmpty()
            || !spec.policies().isEmpty()
            || !spec.queues().isEmpty()
            || spec.vaults().filter(vaults -> !vaults.isEmpty()).isPresent()
            || spec.visibility() != Visibility.OWN
            || spec.budget().isPresent();
    if (isPlatform && isOther) {
      problems.add(new Denial.PlatformHasPartsOnly());
    }
  }

  /// The caller may know nothing of vaults, so the denial names no field of a vault.
  private static void stays(Vault vault, Set<String> groups, Problems<Denial> problems) {
    for (GroupId group : vault.groups()) {
      if (!groups.contains(group.value())) {
        problems.add(new Denial.GroupInVault(group.value(), List.of(vault.id().value())));
      }
    }
  }

  /// Ids as they were written, so that a group with one wrong member is not called unknown as well.
  private static Relations.Declared declared(AccessSpec spec, Set<UserId> users) {
    Relations.Declared declared = new Relations.Declared();
    users.forEach(user -> declared.users().add(user.value()));
    for (GroupSpec group : spec.groups()) {
      declared.groups().add(group.id());
      declared.users().addAll(group.users());
    }
    spec.departments().forEach(department -> declared.departments().add(department.id()));
    spec.policies().forEach(policy -> declared.policies().add(policy.id()));
    return declared;
  }
}
