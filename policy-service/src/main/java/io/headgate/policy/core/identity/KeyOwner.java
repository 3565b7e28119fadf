package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.type.NameRule;
import java.util.Optional;

/// The owner of a key, and the subject of tokens made from it.
public sealed interface KeyOwner {
  /// A person of a tenant.
  record OfUser(TenantId tenantId, UserId user) implements KeyOwner {}

  /// An automated client of a tenant.
  record OfServiceAccount(TenantId tenantId, ServiceAccountId serviceAccount) implements KeyOwner {}

  /// A machine of a tenant.
  record OfNode(TenantId tenantId, NodeId node) implements KeyOwner {}

  /// A Headgate service.
  record OfService(String service) implements KeyOwner {
    public OfService {
      requireName(service);
    }
  }

  /// An operator of the installation.
  record OfOperator(String operator) implements KeyOwner {
    public OfOperator {
      requireName(operator);
    }
  }

  /// The resource name: `tenants/acme/users/ada`, `services/scheduler`.
  default String name() {
    return switch (this) {
      case OfUser(var tenant, var user) -> "tenants/" + tenant + "/users/" + user;
      case OfServiceAccount(var tenant, var account) ->
          "tenants/" + tenant + "/serviceAccounts/" + account;
      case OfNode(var tenant, var node) -> "tenants/" + tenant + "/nodes/" + node;
      case OfService(var service) -> "services/" + service;
      case OfOperator(var operator) -> "operators/" + operator;
    };
  }

  /// The owner's tenant; services and operators have none.
  default Optional<TenantId> tenant() {
    return switch (this) {
      case OfUser(var tenant, _) -> Optional.of(tenant);
      case OfServiceAccount(var tenant, _) -> Optional.of(tenant);
      case OfNode(var tenant, _) -> Optional.of(tenant);
      case OfService(_), OfOperator(_) -> Optional.empty();
    };
  }

  /// Parses the text of {@link #name()}.
  static Optional<KeyOwner> parse(String name) {
    String[] parts = name.split("/", -1);
    if (parts.length == 2 && NameRule.isValid(parts[1])) {
      return switch (parts[0]) {
        case "services" -> Optional.of(new OfService(parts[1]));
        case "operators" -> Optional.of(new OfOperator(parts[1]));
        default -> Optional.empty();
      };
    }
    if (parts.length != 4
        || !parts[0].equals("tenants")
        || !NameRule.isValid(parts[1])
        || !NameRule.isValid(parts[3])) {
      return Optional.empty();
    }
    TenantId tenant = new TenantId(parts[1]);
    return switch (parts[2]) {
      case "users" -> Optional.of(new OfUser(tenant, new UserId(parts[3])));
      case "serviceAccounts" ->
          Optional.of(new OfServiceAccount(tenant, new ServiceAccountId(parts[3])));
      case "nodes" -> Optional.of(new OfNode(tenant, new NodeId(parts[3])));
      default -> Optional.empty();
    };
  }

  private static void requireName(String id) {
    if (!NameRule.isValid(id)) {
      throw new IllegalArgumentException("not an id: '" + id + "'");
    }
  }
}
