package io.headgate.sdk.config;

import java.util.List;

/// Users and service accounts that share policies. The order of names has no meaning.
///
/// @param leads users of the group that steer its jobs
public record Group(
    String name, List<String> users, List<String> serviceAccounts, List<String> leads) {
  public Group {
    users = List.copyOf(users);
    serviceAccounts = List.copyOf(serviceAccounts);
    leads = List.copyOf(leads);
  }

  /// A group without leads.
  public Group(String name, List<String> users, List<String> serviceAccounts) {
    this(name, users, serviceAccounts, List.of());
  }
}
