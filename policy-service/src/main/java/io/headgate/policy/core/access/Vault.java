package io.headgate.policy.core.access;

import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.VaultId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// An admin's rules and environment for the jobs of groups. Where several vaults apply to a group,
/// all their rules apply, and their environments do not conflict.
///
/// @param groups by id; empty: all groups of the tenant
/// @param environment by name
/// @param unreadable names of variables whose stored values cannot be decrypted
public record Vault(
    VaultId id,
    List<GroupId> groups,
    JobRules rules,
    SortedMap<String, String> environment,
    List<String> unreadable,
    String description) {
  public Vault {
    groups = groups.stream().sorted().toList();
    environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    unreadable = unreadable.stream().sorted().toList();
  }

  /// A variable that both vaults set differently for the jobs of one group.
  Optional<String> conflict(Vault other) {
    if (!meets(other)) {
      return Optional.empty();
    }
    return environment.entrySet().stream()
        .filter(entry ->
            !other
                .environment
                .getOrDefault(entry.getKey(), entry.getValue())
                .equals(entry.getValue()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /// Bytes of all names and values.
  int environmentBytes() {
    int bytes = 0;
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      bytes += utf8Bytes(variable.getKey()) + utf8Bytes(variable.getValue());
    }
    return bytes;
  }

  private static int utf8Bytes(String text) {
    return text.codePoints()
        .map(point -> point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
        .sum();
  }

  private boolean meets(Vault other) {
    return groups.isEmpty()
        || other.groups.isEmpty()
        || !Collections.disjoint(groups, other.groups);
  }
}
