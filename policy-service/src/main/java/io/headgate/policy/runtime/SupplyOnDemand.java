package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessDecision;
import io.headgate.policy.core.access.AccessState;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.JointChange;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.ChangeDecision;
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
  /// Reads for one write; a change that is decided after a read makes another one necessary.
  private static final int MAX_READS = 3;

  private final Changes changes;
  private final SupplyReader supplies;
  private final ChangeSettlement settlement;

  SupplyOnDemand(Changes changes, SupplyReader supplies, ChangeSettlement settlement) {
    this.changes = changes;
    this.supplies = supplies;
    this.settlement = settlement;
  }

  /// Supply for a write.
  ///
  /// @param supply empty: not read yet
  /// @param change the last change of supply and rights that it has
  record Settled(Optional<Supply> supply, Optional<JointChange> change) {
    static final Settled UNREAD = new Settled(Optional.empty(), Optional.empty());

    /// Rejects supply that a change has replaced since it was read.
    ///
    /// @param current in force in the transaction of the write, which has locked the tenant
    void require(AccessVersion current) {
      if (supply.isPresent() && !change.equals(current.joint())) {
        throw new SupplyNeededException();
      }
    }
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
      return attempt.apply(Optional.of(supplies.read(origin, tenant, view)));
    }
  }

  /// Like the other, for a write. It is checked against the supply of the last decided change, also
  /// if pool-service has not heard of the decision before.
  <R> R withSettledSupply(Origin origin, TenantId tenant, Function<Settled, R> attempt) {
    Settled settled = Settled.UNREAD;
    for (int reads = 0; reads <= MAX_READS; reads++) {
      try {
        return attempt.apply(settled);
      } catch (SupplyNeededException _) {
        settled = read(origin, tenant);
      }
    }
    throw new DeniedException(new Denial.ChangeUnsettled());
  }

  /// The supply with each change that was decided before the call. Waits some seconds for
  /// pool-service to carry those changes out.
  ///
  /// @throws DeniedException with [Denial.ChangeUnsettled] if it has not by then
  Supply settledSupply(Origin origin, TenantId tenant) {
    return read(origin, tenant).supply().orElseThrow();
  }

  private Settled read(Origin origin, TenantId tenant) {
    settlement.settle(tenant);
    // Before the supply is read, which thus has this change or a later one.
    Optional<JointChange> change =
        changes.read(tables -> {
          if (tables.changes().unsettled(tenant).stream().anyMatch(ChangeDecision::isCommitted)) {
            throw new DeniedException(new Denial.ChangeUnsettled());
          }
          return tables.access().get(tenant).joint();
        });
    return new Settled(Optional.of(supplies.read(origin, tenant, View.PROVISIONED)), change);
  }

  /// The input of a decision.
  ///
  /// @param exceeding names in exceed-limit grants; an invalid id belongs to no user
  static AccessState state(
      Tables tables, AccessVersion current, List<String> exceeding, Optional<Supply> supply) {
    Set<UserId> asked = new HashSet<>();
    exceeding.stream().filter(NameRule::isValid).map(UserId::new).forEach(asked::add);
    Set<UserId> users = asked.isEmpty() ? asked : tables.users().existing(current.tenant(), asked);
    return new AccessState(
        current.configuration(), users, supply, sharers(tables, current.tenant()));
  }

  /// The tenants that may have parts of the pools that this one owns.
  private static Optional<Set<TenantId>> sharers(Tables tables, TenantId owner) {
    if (!owner.equals(TenantId.PLATFORM)) {
      return Optional.empty();
    }
    Set<TenantId> sharers = new HashSet<>();
    tables
        .tenants()
        .list(Optional.empty(), Integer.MAX_VALUE)
        .forEach(tenant -> sharers.add(tenant.id()));
    return Optional.of(sharers);
  }

  static AccessDecision.Accepted accepted(AccessDecision decision) {
    return switch (decision) {
      case AccessDecision.Accepted accepted -> accepted;
      case AccessDecision.Denied(var denials) -> throw new DeniedException(denials);
      case AccessDecision.SupplyNeeded() -> throw new SupplyNeededException();
    };
  }
}
