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

/// Provides decisions on access with their input. Thread-safe.
final class SupplyOnDemand {
  private final SupplyReader supplies;

  SupplyOnDemand(SupplyReader supplies) {
    this.supplies = supplies;
  }

  /// Tries without the supply first: most edits do not need it, and a transaction must not wait for
  /// another service. An attempt that needs it is rolled back and repeated with the supply.
  ///
  /// @param view the supply to check against
  <R> R withSupply(
      Origin origin, TenantId tenant, View view, Function<Optional<Supply>, R> attempt) {
    try {
      return attempt.apply(Optional.empty());
    } catch (SupplyNeededException _) {
      Supply supply = supplies.read(origin, tenant, view);
      return attempt.apply(Optional.of(supply));
    }
  }

  /// The input of a decision.
  ///
  /// @param exceeding names in exceed-limit grants; an invalid id belongs to no user
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
