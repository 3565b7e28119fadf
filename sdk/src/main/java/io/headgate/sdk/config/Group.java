package io.headgate.sdk.config;

import java.util.List;

/// Principals that share policies. Membership is a set: the order of names means nothing.
public record Group(String name, List<String> users, List<String> serviceAccounts) {
  public Group {
    users = List.copyOf(users);
    serviceAccounts = List.copyOf(serviceAccounts);
  }
}
