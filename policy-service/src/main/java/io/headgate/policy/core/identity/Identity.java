package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import java.util.List;
import java.util.Optional;

/// The present identity of a key's bearer, as a token will state it.
///
/// @param node the node of the bearer; present exactly for {@link PrincipalRole#NODE}, with its
///   pool
/// @param groups its groups, by id
/// @param isOfOpenTenant whether members of its tenant see what others of it run
public record Identity(
    String subject,
    PrincipalRole role,
    Optional<TenantId> tenant,
    Optional<Machine> node,
    List<GroupId> groups,
    boolean isOfOpenTenant) {
  /// A node and the pool of its join token.
  public record Machine(NodeId node, PoolId pool) {}

  public Identity {
    groups = List.copyOf(groups);
  }
}
