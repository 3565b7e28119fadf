package io.headgate.policy.runtime;

import io.headgate.policy.core.access.Visibility;
import io.headgate.policy.core.identity.Identity;
import io.headgate.policy.core.identity.Identity.Machine;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.PrincipalRole;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Tables;
import java.util.List;
import java.util.Optional;

/// Looks up identities as they are now.
final class Identities {
  private Identities() {}

  /// The present identity of `owner`; empty if it is gone.
  static Optional<Identity> present(Tables tables, KeyOwner owner, Optional<StoredKey> key) {
    return switch (owner) {
      case KeyOwner.OfUser(var tenant, var id) ->
          tables
              .users()
              .find(tenant, id)
              .map(User::role)
              .map(role -> member(tables, owner, role, tables.users().groups(tenant, id)));
      case KeyOwner.OfServiceAccount(var tenant, var id) ->
          tables
              .serviceAccounts()
              .find(tenant, id)
              .map(_ ->
                  member(
                      tables,
                      owner,
                      PrincipalRole.SERVICE_ACCOUNT,
                      tables.serviceAccounts().groups(tenant, id)));
      case KeyOwner.OfNode(var tenant, var node) ->
          key.flatMap(StoredKey::pool)
              .map(pool ->
                  new Identity(
                      owner.name(),
                      PrincipalRole.NODE,
                      Optional.of(tenant),
                      Optional.of(new Machine(node, pool)),
                      List.of(),
                      false));
      case KeyOwner.OfService(_) -> Optional.of(global(owner, PrincipalRole.SERVICE));
      case KeyOwner.OfOperator(_) -> Optional.of(global(owner, PrincipalRole.PLATFORM_OPERATOR));
    };
  }

  private static Identity member(
      Tables tables, KeyOwner owner, PrincipalRole role, List<GroupId> groups) {
    TenantId tenant = owner.tenant().orElseThrow();
    return new Identity(
        owner.name(),
        role,
        Optional.of(tenant),
        Optional.empty(),
        groups,
        tables.access().visibility(tenant) == Visibility.TENANT);
  }

  private static Identity global(KeyOwner owner, PrincipalRole role) {
    return new Identity(owner.name(), role, Optional.empty(), Optional.empty(), List.of(), false);
  }
}
