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

/// Who may make keys for whom: nobody makes one that may more than its maker. An operator may
/// everything; the admin of a tenant everything in that tenant. A foreign tenant is denied as an
/// absent one. Nodes get theirs by joining, so that a machine's secret is never in other hands.
public final class KeyRights {
  private static final String FIELD = "owner";

  private KeyRights() {}

  /// Why `caller` may not make a key for `owner`; nothing if it may.
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
    return caller.role() == Role.PLATFORM_OPERATOR
        ? Optional.empty()
        : Optional.of(
            new Denial.KeyNotAllowed(FIELD, owner.name(), "only a platform operator may"));
  }
}
