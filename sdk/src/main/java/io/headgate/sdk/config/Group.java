package io.headgate.sdk.config;

import java.util.List;

/// Users and service accounts that share policies. The order of names has no meaning.
public record Group(String name, List<String> users, List<String> serviceAccounts) {
  public Group {
    users = List.copyOf(users);
    serviceAccounts = List.copyOf(serviceAccounts);
  }
}
