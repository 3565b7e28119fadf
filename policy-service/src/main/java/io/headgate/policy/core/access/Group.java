package io.headgate.policy.core.access;

import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.UserId;
import java.util.List;

/// Users and service accounts that share rights. All lists are sorted, so that groups with equal
/// members are equal.
///
/// @param leads those users that steer the jobs of the group
public record Group(
    GroupId id, List<UserId> users, List<ServiceAccountId> serviceAccounts, List<UserId> leads) {
  public Group {
    users = users.stream().sorted().toList();
    serviceAccounts = serviceAccounts.stream().sorted().toList();
    leads = leads.stream().sorted().toList();
  }
}
