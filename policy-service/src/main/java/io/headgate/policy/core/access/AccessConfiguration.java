package io.headgate.policy.core.access;

import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.core.name.VaultId;
import io.headgate.type.Viewer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The groups, departments, policies, queues and vaults of one tenant, each by id.
///
/// @param visibility of the members' jobs to each other
/// @param tenants the parts of tenants in shared pools; only of the tenant `platform`
/// @param budget of the tenant's jobs together; absent: none
public record AccessConfiguration(
    List<Group> groups,
    List<Department> departments,
    List<Policy> policies,
    List<Queue> queues,
    List<Vault> vaults,
    Visibility visibility,
    List<TenantPart> tenants,
    Optional<Budget> budget) {
  public static final int MAX_GROUPS = 1000;
  public static final int MAX_POLICIES = 1000;
  public static final int MAX_QUEUES = 10_000;

  /// Each start of a job reads all vaults of its group and sends their environments.
  public static final int MAX_VAULTS = 32;

  /// Bytes of environment that the vaults of one group add to a job. Linux limits arguments and
  /// environment of a program to about 2 MB, and jobs have their own.
  public static final int MAX_ENVIRONMENT_BYTES = 64 * 1024;

  public static final AccessConfiguration EMPTY =
      new AccessConfiguration(
          List.of(), List.of(), List.of(), List.of(), List.of(), Visibility.OWN);

  public AccessConfiguration {
    groups = groups.stream().sorted(Comparator.comparing(Group::id)).toList();
    departments = departments.stream().sorted(Comparator.comparing(Department::id)).toList();
    policies = policies.stream().sorted(Comparator.comparing(Policy::id)).toList();
    queues = queues.stream().sorted(Comparator.comparing(Queue::id)).toList();
    vaults = vaults.stream().sorted(Comparator.comparing(Vault::id)).toList();
    tenants = tenants.stream().sorted(TenantPart.ORDER).toList();
  }

  /// The rights of a tenant that owns no shared pools and has no budget.
  public AccessConfiguration(
      List<Group> groups,
      List<Department> departments,
      List<Policy> policies,
      List<Queue> queues,
      List<Vault> vaults,
      Visibility visibility) {
    this(groups, departments, policies, queues, vaults, visibility, List.of(), Optional.empty());
  }

  public Optional<Group> group(GroupId id) {
    return groups.stream().filter(group -> group.id().equals(id)).findFirst();
  }

  public Optional<Policy> policy(PolicyId id) {
    return policies.stream().filter(policy -> policy.id().equals(id)).findFirst();
  }

  /// With `group` in place of the group that has its id, if any.
  public AccessConfiguration with(Group group) {
    return next(put(groups, group, each -> each.id().equals(group.id())), policies, queues, vaults);
  }

  /// With `policy` in place of the policy that has its id, if any.
  public AccessConfiguration with(Policy policy) {
    return next(
        groups, put(policies, policy, each -> each.id().equals(policy.id())), queues, vaults);
  }

  /// With `queue` in place of the queue that has its id, if any.
  public AccessConfiguration with(Queue queue) {
    return next(groups, policies, put(queues, queue, each -> each.id().equals(queue.id())), vaults);
  }

  /// With `vault` in place of the vault that has its id, if any.
  public AccessConfiguration with(Vault vault) {
    return next(groups, policies, queues, put(vaults, vault, each -> each.id().equals(vault.id())));
  }

  public AccessConfiguration without(GroupId id) {
    return next(
        groups.stream().filter(group -> !group.id().equals(id)).toList(), policies, queues, vaults);
  }

  /// Without the policy and its queues.
  public AccessConfiguration without(PolicyId id) {
    return next(
        groups,
        policies.stream().filter(policy -> !policy.id().equals(id)).toList(),
        queues.stream().filter(queue -> !queue.policy().equals(id)).toList(),
        vaults);
  }

  public AccessConfiguration without(QueueId id) {
    return next(
        groups, policies, queues.stream().filter(queue -> !queue.id().equals(id)).toList(), vaults);
  }

  public AccessConfiguration without(VaultId id) {
    return next(
        groups, policies, queues, vaults.stream().filter(vault -> !vault.id().equals(id)).toList());
  }

  /// The part that a caller sees: its groups, their policies, the departments above these and their
  /// queues, and the vaults that apply to its groups. It sees no budgets but those of its groups'
  /// policies.
  ///
  /// @param viewer its teams are the tenant's groups
  public AccessConfiguration seenBy(Viewer viewer) {
    if (viewer.seesAll()) {
      return this;
    }
    List<Policy> seen =
        policies.stream().filter(policy -> viewer.seesTeam(policy.group().value())).toList();
    Set<PolicyId> ids = seen.stream().map(Policy::id).collect(Collectors.toSet());
    return new AccessConfiguration(
        groups.stream().filter(group -> viewer.seesTeam(group.id().value())).toList(),
        above(seen),
        seen,
        queues.stream().filter(queue -> ids.contains(queue.policy())).toList(),
        vaults.stream().flatMap(vault -> seenBy(viewer, vault).stream()).toList(),
        visibility);
  }

  /// The departments above these policies, without their budgets.
  private List<Department> above(List<Policy> seen) {
    DepartmentTree tree = new DepartmentTree(departments);
    Set<DepartmentId> above =
        seen.stream()
            .flatMap(policy -> policy.department().stream())
            .flatMap(id -> tree.path(id).stream())
            .collect(Collectors.toSet());
    return departments.stream()
        .filter(department -> above.contains(department.id()))
        .map(Department::withoutBudget)
        .toList();
  }

  /// A vault of all groups applies to a caller that is in any.
  private static Optional<Vault> seenBy(Viewer viewer, Vault vault) {
    List<GroupId> groups =
        vault.groups().stream().filter(group -> viewer.seesTeam(group.value())).toList();
    return (vault.groups().isEmpty() ? viewer.teams().isEmpty() : groups.isEmpty())
        ? Optional.empty()
        : Optional.of(
            new Vault(
                vault.id(),
                groups,
                vault.rules(),
                vault.environment(),
                vault.unreadable(),
                vault.description()));
  }

  /// Without the user in all groups and exceed-limit grants.
  public AccessConfiguration withoutUser(UserId user) {
    return next(
        groups.stream()
            .map(group ->
                new Group(
                    group.id(),
                    dropped(group.users(), user),
                    group.serviceAccounts(),
                    dropped(group.leads(), user)))
            .toList(),
        policies.stream().map(policy -> withoutGrant(policy, user)).toList(),
        queues,
        vaults);
  }

  /// Without the service account in all groups.
  public AccessConfiguration withoutServiceAccount(ServiceAccountId account) {
    return next(
        groups.stream()
            .map(group ->
                new Group(
                    group.id(),
                    group.users(),
                    dropped(group.serviceAccounts(), account),
                    group.leads()))
            .toList(),
        policies,
        queues,
        vaults);
  }

  /// The same tenant with these groups, policies, queues and vaults.
  private AccessConfiguration next(
      List<Group> groups, List<Policy> policies, List<Queue> queues, List<Vault> vaults) {
    return new AccessConfiguration(
        groups, departments, policies, queues, vaults, visibility, tenants, budget);
  }

  private static Policy withoutGrant(Policy policy, UserId user) {
    Rights rights = policy.rights();
    return new Policy(
        policy.id(),
        policy.group(),
        policy.department(),
        new Rights(
            rights.reservation(),
            rights.limit(),
            rights.perUserLimit(),
            rights.weight(),
            dropped(rights.exceedLimit(), user)),
        policy.terms(),
        policy.budget(),
        policy.description());
  }

  private static <T> List<T> dropped(List<T> list, T item) {
    return list.stream().filter(each -> !each.equals(item)).toList();
  }

  private static <T> List<T> put(List<T> list, T item, Predicate<T> same) {
    List<T> next = new ArrayList<>(list);
    next.removeIf(same);
    next.add(item);
    return next;
  }
}
