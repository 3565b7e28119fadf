package io.headgate.policy.core.access;

import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.UserId;
import java.util.List;

/// Users and service accounts that share rights. Both lists are sorted, so that groups with equal
/// members are equal.
public record Group(GroupId id, List<UserId> users, List<ServiceAccountId> serviceAccounts) {
  public Group {
    users = users.stream().sorted().toList();
    serviceAccounts = serviceAccounts.stream().sorted().toList();
  }
}
