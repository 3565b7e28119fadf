package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import java.util.List;
import java.util.Optional;

/// Who a key's bearer is at this moment: what a token will state.
///
/// @param node the machine that it speaks for; present exactly for {@link Role#NODE}, with its pool
/// @param groups its groups, by id
public record Identity(
    String subject,
    Role role,
    Optional<TenantId> tenant,
    Optional<Machine> node,
    List<GroupId> groups) {
  /// A machine and the pool that its join token put it in.
  public record Machine(NodeId node, PoolId pool) {}

  public Identity {
    groups = List.copyOf(groups);
  }
}
