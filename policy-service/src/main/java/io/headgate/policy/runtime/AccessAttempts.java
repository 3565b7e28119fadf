package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.access.AccessDecision;
import io.headgate.policy.core.access.AccessState;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.policy.runtime.port.SupplyReader.View;
import io.headgate.policy.runtime.port.Tables;
import io.headgate.type.NameRule;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// How a decision on access gets what it is decided on. Thread-safe.
final class AccessAttempts {
  private final SupplyReader supplies;

  AccessAttempts(SupplyReader supplies) {
    this.supplies = supplies;
  }

  /// Tries without the supply first, because most edits do not need it and a transaction must not
  /// wait for another service; an attempt that does is rolled back and made again.
  ///
  /// @param view the supply to hold it against
  <R> R withSupply(
      Origin origin, TenantId tenant, View view, Function<Optional<Supply>, R> attempt) {
    try {
      return attempt.apply(Optional.empty());
    } catch (SupplyNeededException _) {
      Supply supply = supplies.read(origin, tenant, view);
      return attempt.apply(Optional.of(supply));
    }
  }

  /// What to decide on.
  ///
  /// @param exceeding names that exceed-limit grants are asked for; what cannot be an id is
  ///   nobody's
  static AccessState state(
      Tables tables, AccessVersion current, List<String> exceeding, Optional<Supply> supply) {
    Set<UserId> asked = new HashSet<>();
    exceeding.stream().filter(NameRule::isValid).map(UserId::new).forEach(asked::add);
    Set<UserId> users = asked.isEmpty() ? asked : tables.users().existing(current.tenant(), asked);
    return new AccessState(current.configuration(), users, supply);
  }

  static AccessDecision.Accepted accepted(AccessDecision decision) {
    return switch (decision) {
      case AccessDecision.Accepted accepted -> accepted;
      case AccessDecision.Denied(var denials) -> throw new DeniedException(denials);
      case AccessDecision.SupplyNeeded() -> throw new SupplyNeededException();
    };
  }
}
