package io.headgate.policy.runtime;

import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.Group;
import io.headgate.policy.core.access.Visibility;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.name.GroupId;
import io.headgate.type.Viewer;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The views of callers on a tenant's rights and accounts. Their teams are the tenant's groups.
public final class Viewers {
  private Viewers() {}

  /// By the role of the caller, and for a member by the groups that it is in now.
  ///
  /// @param rights in force; not asked for where the role decides
  public static Viewer of(Caller caller, Supplier<AccessConfiguration> rights) {
    return switch (caller.role()) {
      case PLATFORM_OPERATOR, TENANT_ADMIN -> Viewer.governing(caller.subject());
      case SERVICE -> Viewer.OF_ALL;
      case MEMBER, SERVICE_ACCOUNT, NODE -> member(caller, rights.get());
    };
  }

  /// A member without a group sees what it owns here, which is its own account and keys.
  private static Viewer member(Caller caller, AccessConfiguration rights) {
    Optional<KeyOwner> account = KeyOwner.parse(caller.subject());
    Set<String> own =
        groups(rights, group -> account.filter(each -> isIn(group, each)).isPresent());
    return Viewer.member(
        caller.subject(),
        own,
        groups(rights, group -> account.filter(each -> leads(group, each)).isPresent()),
        !own.isEmpty() && rights.visibility() == Visibility.TENANT);
  }

  private static Set<String> groups(AccessConfiguration rights, Predicate<Group> condition) {
    return rights.groups().stream()
        .filter(condition)
        .map(Group::id)
        .map(GroupId::value)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean isIn(Group group, KeyOwner account) {
    return switch (account) {
      case KeyOwner.OfUser(var _, var user) -> group.users().contains(user);
      case KeyOwner.OfServiceAccount(var _, var id) -> group.serviceAccounts().contains(id);
      case KeyOwner.OfNode _, KeyOwner.OfService _, KeyOwner.OfOperator _ -> false;
    };
  }

  private static boolean leads(Group group, KeyOwner account) {
    return account instanceof KeyOwner.OfUser(var _, var user) && group.leads().contains(user);
  }
}
