package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessDecision;
import io.headgate.policy.core.access.AccessSpec;
import io.headgate.policy.core.access.AccessState;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.AccessWarning;
import io.headgate.policy.core.access.JointChange;
import io.headgate.policy.core.access.Replacement;
import io.headgate.policy.core.access.Replacement.Thoroughness;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.ChangeDecision;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.policy.runtime.port.SupplyReader.Prepared;
import io.headgate.policy.runtime.port.SupplyReader.View;
import io.headgate.policy.runtime.port.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/// Replaces a tenant's groups, departments, policies, queues and vaults as a whole. Thread-safe.
public final class AccessReplacement {
  private final Changes changes;
  private final AccessWriter writer;
  private final StatedAdmins admins;
  private final SupplyReader supplies;
  private final SupplyOnDemand onDemand;
  private final ChangeSettlement settlement;
  private final ChangeFailpoint.Handler failpoints;

  public AccessReplacement(
      Changes changes,
      AccessWriter writer,
      SupplyReader supplies,
      ChangeSettlement settlement,
      ChangeFailpoint.Handler failpoints) {
    this.changes = changes;
    this.writer = writer;
    this.admins = new StatedAdmins(changes);
    this.supplies = supplies;
    this.onDemand = new SupplyOnDemand(changes, supplies, settlement);
    this.settlement = settlement;
    this.failpoints = failpoints;
  }

  /// A request to replace the configuration.
  ///
  /// @param ifVersion the version that must be in force; 0: any, but none with a change
  /// @param change id of the prepared change of supply that comes into force together with it
  /// @param admins exactly the users who are admins afterwards; absent: the admins stay
  public record Request(
      TenantId tenant,
      AccessSpec spec,
      long ifVersion,
      Optional<String> change,
      Optional<List<String>> admins) {}

  /// The resulting configuration.
  ///
  /// @param resourceVersion the supply in force with a change; 0: only rights changed
  /// @param admins of the tenant, by id
  public record Replaced(
      AccessVersion version,
      List<AccessWarning> warnings,
      long resourceVersion,
      List<UserId> admins) {
    public Replaced {
      warnings = List.copyOf(warnings);
      admins = List.copyOf(admins);
    }
  }

  /// Puts the configuration in force.
  public <R> R replace(Origin origin, IdempotentRequest<Replaced, R> once, Request request) {
    return request.change().isPresent()
        ? decide(origin, once, request, request.change().get())
        : replaceAlone(origin, once, request);
  }

  /// Decides a change of supply and rights: the commit of this transaction is the moment at which
  /// all of it is in force.
  private <R> R decide(
      Origin origin, IdempotentRequest<Replaced, R> once, Request request, String change) {
    AtomicReference<ChangeDecision> made = new AtomicReference<>();
    Function<Optional<Prepared>, R> attempt =
        prepared ->
            changes.once(
                once,
                tables -> {
                  changes.begin(tables, origin, request.tenant());
                  requireUndecided(tables, request.tenant(), change);
                  Prepared supply = prepared.orElseThrow(SupplyNeededException::new);
                  Replaced replaced = decide(tables, origin, request, change, supply);
                  ChangeDecision decision =
                      new ChangeDecision(
                          request.tenant(),
                          change,
                          true,
                          replaced.version().version(),
                          changes.now());
                  tables.changes().decide(decision);
                  made.set(decision);
                  failpoints.at(ChangeFailpoint.BEFORE_COMMIT);
                  return replaced;
                });
    R answer;
    try {
      answer = attempt.apply(Optional.empty());
    } catch (SupplyNeededException _) {
      Optional<Prepared> prepared = supplies.prepared(origin, request.tenant(), change);
      if (prepared.isEmpty()) {
        answer = decidedMeanwhile(change, () -> attempt.apply(prepared));
      } else {
        requireOwn(origin, change, prepared.get());
        failpoints.at(ChangeFailpoint.BEFORE_DECISION);
        answer = decided(request.tenant(), change, () -> attempt.apply(prepared));
      }
    }
    Optional.ofNullable(made.get()).ifPresent(settlement::settle);
    return answer;
  }

  /// A refused change is over, so that the next one need not wait for its end.
  private <R> R decided(TenantId tenant, String change, Supplier<R> decision) {
    try {
      return decision.get();
    } catch (DeniedException e) {
      // A caller without rights decides nothing, not even that.
      if (e.denials(Denial.class).stream().noneMatch(Denial.CallerRevoked.class::isInstance)) {
        settlement.abandon(tenant, change);
      }
      throw e;
    }
  }

  /// The answer to a request whose first try has decided the change since this one began. The
  /// change is then no longer prepared.
  private static <R> R decidedMeanwhile(String change, Supplier<R> again) {
    try {
      return again.get();
    } catch (SupplyNeededException _) {
      throw new DeniedException(new Denial.ChangeNotPrepared(change));
    }
  }

  /// A change belongs to the caller that prepared it. Another caller neither decides it nor ends it
  /// by a mistake.
  private static void requireOwn(Origin origin, String change, Prepared prepared) {
    if (!prepared.by().equals(origin.required().subject())) {
      throw new DeniedException(new Denial.ChangeOfAnother(change, prepared.by()));
    }
  }

  /// Refuses the id of a decided change. A repeated request has got its first answer before.
  private static void requireUndecided(Tables tables, TenantId tenant, String change) {
    Optional<ChangeDecision> before = tables.changes().find(tenant, change);
    if (before.isPresent()) {
      throw new DeniedException(
          before.get().isCommitted()
              ? new Denial.ChangeNotPrepared(change)
              : new Denial.ChangeAbandoned(change));
    }
  }

  private Replaced decide(
      Tables tables, Origin origin, Request request, String change, Prepared prepared) {
    AccessVersion current = tables.access().get(request.tenant());
    // Also unchanged rights are checked, because a queue may need a profile that goes.
    AccessDecision.Accepted accepted =
        decide(tables, current, request, Optional.of(prepared.supply()), Thoroughness.EVERYTHING);
    List<AccessWarning> warnings = warnings(tables, current, accepted);
    Optional<JointChange> joint =
        prepared.changesSupply()
            ? Optional.of(
                new JointChange(change, prepared.resourceVersion(), current.version() + 1))
            : current.joint();
    changes.record(
        tables,
        origin,
        Optional.of(request.tenant()),
        "CommitChange",
        "tenants/" + request.tenant() + "/changes/" + change,
        List.of());
    boolean hasOthers = admins.bring(tables, origin, request.tenant(), request.admins());
    AccessVersion next = writer.put(tables, origin, current, accepted.next(), joint, hasOthers);
    return new Replaced(
        next, warnings, prepared.resourceVersion(), tables.access().admins(request.tenant()));
  }

  private <R> R replaceAlone(Origin origin, IdempotentRequest<Replaced, R> once, Request request) {
    Function<SupplyOnDemand.Settled, R> attempt =
        settled ->
            changes.once(
                once,
                tables -> {
                  changes.begin(tables, origin, request.tenant());
                  AccessVersion current = tables.access().get(request.tenant());
                  settled.require(current);
                  AccessDecision.Accepted accepted =
                      decide(tables, current, request, settled.supply(), Thoroughness.CHANGES_ONLY);
                  List<AccessWarning> warnings = warnings(tables, current, accepted);
                  boolean hasOthers =
                      admins.bring(tables, origin, request.tenant(), request.admins());
                  AccessVersion next =
                      writer.put(
                          tables, origin, current, accepted.next(), current.joint(), hasOthers);
                  return new Replaced(next, warnings, 0, tables.access().admins(request.tenant()));
                });
    return onDemand.withSettledSupply(origin, request.tenant(), attempt);
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
              List<UserId> present = tables.access().admins(request.tenant());
              List<UserId> stated =
                  List.copyOf(StatedAdmins.check(origin, request.tenant(), request.admins()));
              List<UserId> after = request.admins().isPresent() ? stated : present;
              return new Replaced(
                  wouldBe(current, accepted, origin, !after.equals(present)),
                  warnings(tables, current, accepted),
                  0,
                  after);
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
      AccessVersion current,
      AccessDecision.Accepted accepted,
      Origin origin,
      boolean hasOtherAdmins) {
    if (accepted.next().equals(current.configuration()) && !hasOtherAdmins) {
      return current;
    }
    return new AccessVersion(
        current.tenant(),
        current.version() + 1,
        accepted.next(),
        Optional.of(new AccessVersion.Change(changes.now(), origin.required().subject())),
        current.joint());
  }

  private static AccessDecision.Accepted decide(
      Tables tables,
      AccessVersion current,
      Request request,
      Optional<Supply> supply,
      Thoroughness thoroughness) {
    boolean isExact = request.ifVersion() != 0 || request.change().isPresent();
    if (isExact && request.ifVersion() != current.version()) {
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
