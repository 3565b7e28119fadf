package io.headgate.policy.runtime;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.policy.core.identity.Identity;
import io.headgate.policy.core.identity.Identity.Machine;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The claims of a token.
public final class TokenContents {
  /// Attribute of a node's token: the pool that it joined.
  public static final String POOL = "pool";

  /// Attribute of a token that names only some of its bearer's groups.
  public static final String GROUPS_CUT = "groups_cut";

  /// Attribute of a member's token: `tenant` where the tenant is open to its members. For services
  /// that do not follow the access configuration.
  public static final String VISIBILITY = "visibility";

  /// A token names as many of its bearer's groups as fit into a header. Services decide by the
  /// access configuration, which has all of them.
  static final int MAX_GROUP_LETTERS = 1500;

  private TokenContents() {}

  static Principal of(Identity identity) {
    String tenant = identity.tenant().map(TenantId::value).orElse("");
    return switch (identity.role()) {
      case PLATFORM_OPERATOR -> Principal.operator(identity.subject());
      case SERVICE -> Principal.service(identity.subject());
      case NODE -> {
        Machine machine = identity.node().orElseThrow();
        yield Principal.node(
            identity.subject(),
            tenant,
            machine.node().value(),
            Map.of(POOL, machine.pool().value()));
      }
      case TENANT_ADMIN -> ofTenant(identity, Role.TENANT_ADMIN, tenant);
      case MEMBER -> ofTenant(identity, Role.MEMBER, tenant);
      case SERVICE_ACCOUNT -> ofTenant(identity, Role.SERVICE_ACCOUNT, tenant);
    };
  }

  private static Principal ofTenant(Identity identity, Role role, String tenant) {
    List<String> groups = new ArrayList<>();
    Map<String, String> attributes = new TreeMap<>();
    if (identity.isOfOpenTenant()) {
      attributes.put(VISIBILITY, "tenant");
    }
    int letters = 0;
    for (GroupId group : identity.groups()) {
      letters += group.value().length();
      if (letters > MAX_GROUP_LETTERS) {
        attributes.put(GROUPS_CUT, "true");
        break;
      }
      groups.add(group.value());
    }
    return new Principal(identity.subject(), role, tenant, null, groups, attributes);
  }
}
