package io.headgate.policy.runtime;

import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.AccessWarning;
import io.headgate.policy.core.access.Group;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Tables;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// Finds the keys of accounts that leave their last group. Such a key still signs in, although its
/// owner has no rights any more; its admin probably wants to revoke it.
final class RemainingKeys {
  /// Accounts that are named one by one.
  private static final int MOST_NAMED = 20;

  private RemainingKeys() {}

  /// Warnings for a change from `before` to `after`. An admin needs no group.
  static List<AccessWarning> warnings(
      Tables tables,
      TenantId tenant,
      AccessConfiguration before,
      AccessConfiguration after,
      Instant now) {
    Map<KeyOwner, Integer> keys = new HashMap<>();
    Set<KeyOwner> users =
        leaving(before, after, Group::users, user -> new KeyOwner.OfUser(tenant, user));
    keys.putAll(tables.keys().countLiveOfEach(users, now));
    keys.keySet()
        .removeIf(owner ->
            owner instanceof KeyOwner.OfUser(_, var user)
                && tables.users().find(tenant, user).filter(User::isAdmin).isPresent());
    Set<KeyOwner> accounts =
        leaving(
            before,
            after,
            Group::serviceAccounts,
            account -> new KeyOwner.OfServiceAccount(tenant, account));
    keys.putAll(tables.keys().countLiveOfEach(accounts, now));
    List<AccessWarning> warnings = new ArrayList<>();
    keys.entrySet().stream()
        .sorted(Comparator.comparing(entry -> entry.getKey().name()))
        .limit(MOST_NAMED)
        .forEach(entry ->
            warnings.add(new AccessWarning.KeysRemain(id(entry.getKey()), entry.getValue())));
    if (keys.size() > MOST_NAMED) {
      warnings.add(new AccessWarning.MoreKeysRemain(keys.size() - MOST_NAMED));
    }
    return warnings;
  }

  private static <I> Set<KeyOwner> leaving(
      AccessConfiguration before,
      AccessConfiguration after,
      Function<Group, List<I>> members,
      Function<I, KeyOwner> owner) {
    Set<KeyOwner> leaving = new HashSet<>();
    before
        .groups()
        .forEach(group -> members.apply(group).forEach(m -> leaving.add(owner.apply(m))));
    after
        .groups()
        .forEach(group -> members.apply(group).forEach(m -> leaving.remove(owner.apply(m))));
    return leaving;
  }

  private static String id(KeyOwner owner) {
    return owner.name().substring(owner.name().lastIndexOf('/') + 1);
  }
}
