package io.headgate.policy.core.identity;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.KeyOwner.OfNode;
import io.headgate.policy.core.identity.KeyOwner.OfOperator;
import io.headgate.policy.core.identity.KeyOwner.OfService;
import io.headgate.policy.core.identity.KeyOwner.OfServiceAccount;
import io.headgate.policy.core.identity.KeyOwner.OfUser;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.TenantId;
import java.util.Optional;

/// The rights to create keys. No key has more rights than its creator: an operator may create all
/// keys, the admin of a tenant all keys in that tenant. A foreign tenant is denied like an absent
/// one. Nodes get their keys only by joining, so that no person holds a node's secret.
public final class KeyRights {
  private static final String FIELD = "owner";

  private KeyRights() {}

  /// Why `caller` may not create a key for `owner`; empty: it may.
  public static Optional<Denial> toCreate(Caller caller, KeyOwner owner) {
    return switch (owner) {
      case OfUser(var tenant, _) -> inTenant(caller, owner, tenant);
      case OfServiceAccount(var tenant, _) -> inTenant(caller, owner, tenant);
      case OfNode(_, _) ->
          Optional.of(
              new Denial.KeyNotAllowed(
                  FIELD, owner.name(), "a node gets its key by joining with a join token"));
      case OfService(_), OfOperator(_) -> operatorOnly(caller, owner);
    };
  }

  /// Whether `caller` may see and revoke keys of `owner`.
  public static boolean toGovern(Caller caller, KeyOwner owner) {
    return switch (caller.role()) {
      case PLATFORM_OPERATOR -> true;
      case TENANT_ADMIN -> owner.tenant().isPresent() && caller.tenant().equals(owner.tenant());
      case MEMBER, SERVICE_ACCOUNT, NODE, SERVICE -> false;
    };
  }

  private static Optional<Denial> inTenant(Caller caller, KeyOwner owner, TenantId tenant) {
    if (!caller.mayEnter(tenant)) {
      return Optional.of(new Denial.NotFound(Kind.TENANT, tenant.value()));
    }
    return toGovern(caller, owner)
        ? Optional.empty()
        : Optional.of(
            new Denial.KeyNotAllowed(
                FIELD, owner.name(), "only an admin of its tenant or a platform operator may"));
  }

  private static Optional<Denial> operatorOnly(Caller caller, KeyOwner owner) {
    return caller.role() == PrincipalRole.PLATFORM_OPERATOR
        ? Optional.empty()
        : Optional.of(
            new Denial.KeyNotAllowed(FIELD, owner.name(), "only a platform operator may"));
  }
}
