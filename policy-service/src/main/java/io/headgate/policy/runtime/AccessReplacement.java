package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessDecision;
import io.headgate.policy.core.access.AccessSpec;
import io.headgate.policy.core.access.AccessState;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.AccessWarning;
import io.headgate.policy.core.access.Replacement;
import io.headgate.policy.core.access.Replacement.Thoroughness;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.policy.runtime.port.SupplyReader.View;
import io.headgate.policy.runtime.port.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Replaces a tenant's groups, policies, queues and vaults as a whole. Thread-safe.
public final class AccessReplacement {
  private final Changes changes;
  private final AccessWriter writer;
  private final SupplyOnDemand onDemand;

  public AccessReplacement(Changes changes, AccessWriter writer, SupplyReader supplies) {
    this.changes = changes;
    this.writer = writer;
    this.onDemand = new SupplyOnDemand(supplies);
  }

  /// A request to replace the configuration.
  ///
  /// @param ifVersion the version that must be in force; 0: any
  public record Request(TenantId tenant, AccessSpec spec, long ifVersion) {}

  /// The resulting configuration.
  public record Replaced(AccessVersion version, List<AccessWarning> warnings) {
    public Replaced {
      warnings = List.copyOf(warnings);
    }
  }

  /// Puts the configuration in force.
  public <R> R replace(Origin origin, IdempotentRequest<Replaced, R> once, Request request) {
    Function<Optional<Supply>, R> attempt =
        supply ->
            changes.once(
                once,
                tables -> {
                  changes.begin(tables, origin, request.tenant());
                  AccessVersion current = tables.access().get(request.tenant());
                  AccessDecision.Accepted accepted =
                      decide(tables, current, request, supply, Thoroughness.CHANGES_ONLY);
                  List<AccessWarning> warnings = warnings(tables, current, accepted);
                  AccessVersion next = writer.put(tables, origin, current, accepted.next());
                  return new Replaced(next, warnings);
                });
    return onDemand.withSupply(origin, request.tenant(), View.PROVISIONED, attempt);
  }

  /// The result that {@link #replace} would have; nothing is stored.
  ///
  /// @param view the supply to check against
  public Replaced check(Origin origin, Request request, View view) {
    Function<Optional<Supply>, Replaced> attempt =
        supply ->
            changes.read(tables -> {
              Changes.find(tables, request.tenant());
              AccessVersion current = tables.access().get(request.tenant());
              AccessDecision.Accepted accepted =
                  decide(tables, current, request, supply, Thoroughness.EVERYTHING);
              return new Replaced(
                  wouldBe(current, accepted, origin), warnings(tables, current, accepted));
            });
    return onDemand.withSupply(origin, request.tenant(), view, attempt);
  }

  private List<AccessWarning> warnings(
      Tables tables, AccessVersion current, AccessDecision.Accepted accepted) {
    List<AccessWarning> warnings = new ArrayList<>(accepted.warnings());
    warnings.addAll(
        RemainingKeys.warnings(
            tables, current.tenant(), current.configuration(), accepted.next(), changes.now()));
    return warnings;
  }

  private AccessVersion wouldBe(
      AccessVersion current, AccessDecision.Accepted accepted, Origin origin) {
    if (accepted.next().equals(current.configuration())) {
      return current;
    }
    return new AccessVersion(
        current.tenant(),
        current.version() + 1,
        accepted.next(),
        Optional.of(new AccessVersion.Change(changes.now(), origin.required().subject())));
  }

  private static AccessDecision.Accepted decide(
      Tables tables,
      AccessVersion current,
      Request request,
      Optional<Supply> supply,
      Thoroughness thoroughness) {
    if (request.ifVersion() != 0 && request.ifVersion() != current.version()) {
      throw new DeniedException(new Denial.VersionChanged(request.ifVersion(), current.version()));
    }
    List<String> exceeding =
        request.spec().policies().stream()
            .flatMap(policy -> policy.rights().exceedLimit().stream())
            .toList();
    AccessState state = SupplyOnDemand.state(tables, current, exceeding, supply);
    return SupplyOnDemand.accepted(Replacement.decide(state, request.spec(), thoroughness));
  }
}
