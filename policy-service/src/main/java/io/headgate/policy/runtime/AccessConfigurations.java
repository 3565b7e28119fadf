package io.headgate.policy.runtime;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.AccessDecision;
import io.headgate.policy.core.access.AccessEdit;
import io.headgate.policy.core.access.AccessEdit.Mode;
import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.AccessState;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.Group;
import io.headgate.policy.core.access.Policy;
import io.headgate.policy.core.access.Queue;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.NameRule;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.policy.runtime.port.SupplyReader.View;
import io.headgate.policy.runtime.port.Tables;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Groups, policies and queues, one at a time. Each change is decided by the core on what is in
/// force at that moment, and is the tenant's next version. Thread-safe.
public final class AccessConfigurations {
  private final Changes changes;
  private final AccessWriter writer;
  private final SupplyReader supplies;

  public AccessConfigurations(Changes changes, AccessWriter writer, SupplyReader supplies) {
    this.changes = changes;
    this.writer = writer;
    this.supplies = supplies;
  }

  public AccessVersion get(TenantId tenant) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return tables.access().get(tenant);
    });
  }

  public Group get(TenantId tenant, GroupId id) {
    return required(get(tenant).configuration().group(id), Kind.GROUP, id);
  }

  public Policy get(TenantId tenant, PolicyId id) {
    return required(get(tenant).configuration().policy(id), Kind.POLICY, id);
  }

  public Queue get(TenantId tenant, QueueId id) {
    return required(get(tenant).configuration().queue(id), Kind.QUEUE, id);
  }

  /// What follows for one who watches all tenants and has seen `version`.
  public AccessStep since(long version) {
    return changes.read(tables -> tables.access().since(version));
  }

  public <R> R create(Origin origin, Once<Group, R> once, TenantId tenant, GroupSpec spec) {
    return withSupply(
        origin,
        tenant,
        supply ->
            changes.once(
                once,
                tables ->
                    decide(
                            new Step(tables, origin, tenant, supply),
                            List.of(),
                            state -> AccessEdit.put(state, Mode.CREATE, spec))
                        .group(new GroupId(spec.id()))
                        .orElseThrow()));
  }

  /// Changes the group that is there into what `edit` makes of it.
  public Group update(Origin origin, TenantId tenant, GroupId id, Function<Group, GroupSpec> edit) {
    return withSupply(
        origin,
        tenant,
        supply ->
            changes.change(tables ->
                decide(
                        new Step(tables, origin, tenant, supply),
                        List.of(),
                        state ->
                            AccessEdit.put(
                                state,
                                Mode.UPDATE,
                                edit.apply(required(state.current().group(id), Kind.GROUP, id))))
                    .group(id)
                    .orElseThrow()));
  }

  public void delete(Origin origin, TenantId tenant, GroupId id) {
    remove(origin, tenant, current -> AccessEdit.remove(current, id));
  }

  public <R> R create(Origin origin, Once<Policy, R> once, TenantId tenant, PolicySpec spec) {
    return withSupply(
        origin,
        tenant,
        supply ->
            changes.once(
                once,
                tables ->
                    decide(
                            new Step(tables, origin, tenant, supply),
                            spec.rights().exceedLimit(),
                            state -> AccessEdit.put(state, Mode.CREATE, spec))
                        .policy(new PolicyId(spec.id()))
                        .orElseThrow()));
  }

  /// Changes the policy that is there into what `edit` makes of it.
  public Policy update(
      Origin origin, TenantId tenant, PolicyId id, Function<Policy, PolicySpec> edit) {
    return withSupply(
        origin,
        tenant,
        supply ->
            changes.change(tables -> {
              Changes.lock(tables, tenant);
              AccessConfiguration current = tables.access().get(tenant).configuration();
              PolicySpec spec = edit.apply(required(current.policy(id), Kind.POLICY, id));
              return decide(
                      new Step(tables, origin, tenant, supply),
                      spec.rights().exceedLimit(),
                      state -> AccessEdit.put(state, Mode.UPDATE, spec))
                  .policy(id)
                  .orElseThrow();
            }));
  }

  public void delete(Origin origin, TenantId tenant, PolicyId id) {
    remove(origin, tenant, current -> AccessEdit.remove(current, id));
  }

  public <R> R create(Origin origin, Once<Queue, R> once, TenantId tenant, QueueSpec spec) {
    return withSupply(
        origin,
        tenant,
        supply ->
            changes.once(
                once,
                tables ->
                    decide(
                            new Step(tables, origin, tenant, supply),
                            List.of(),
                            state -> AccessEdit.put(state, Mode.CREATE, spec))
                        .queue(new QueueId(spec.id()))
                        .orElseThrow()));
  }

  /// Changes the queue that is there into what `edit` makes of it.
  public Queue update(Origin origin, TenantId tenant, QueueId id, Function<Queue, QueueSpec> edit) {
    return withSupply(
        origin,
        tenant,
        supply ->
            changes.change(tables ->
                decide(
                        new Step(tables, origin, tenant, supply),
                        List.of(),
                        state ->
                            AccessEdit.put(
                                state,
                                Mode.UPDATE,
                                edit.apply(required(state.current().queue(id), Kind.QUEUE, id))))
                    .queue(id)
                    .orElseThrow()));
  }

  public void delete(Origin origin, TenantId tenant, QueueId id) {
    remove(origin, tenant, current -> AccessEdit.remove(current, id));
  }

  /// Which of `names` are users; what cannot be an id is nobody's.
  static Set<UserId> existing(Tables tables, TenantId tenant, List<String> names) {
    Set<UserId> asked = new HashSet<>();
    names.stream().filter(NameRule::isValid).map(UserId::new).forEach(asked::add);
    return asked.isEmpty() ? asked : tables.users().existing(tenant, asked);
  }

  /// Tries without the supply first, because most edits do not need it and a transaction must not
  /// wait for another service; an attempt that does is rolled back and made again.
  private <R> R withSupply(Origin origin, TenantId tenant, Function<Optional<Supply>, R> attempt) {
    try {
      return attempt.apply(Optional.empty());
    } catch (SupplyNeededException _) {
      Supply supply = supplies.read(origin, tenant, View.PROVISIONED);
      return attempt.apply(Optional.of(supply));
    }
  }

  private record Step(Tables tables, Origin origin, TenantId tenant, Optional<Supply> supply) {}

  private AccessConfiguration decide(
      Step step, List<String> exceeding, Function<AccessState, AccessDecision> decision) {
    Tables tables = step.tables();
    Changes.lock(tables, step.tenant());
    AccessVersion current = tables.access().get(step.tenant());
    AccessState state =
        new AccessState(
            current.configuration(), existing(tables, step.tenant(), exceeding), step.supply());
    return switch (decision.apply(state)) {
      case AccessDecision.Accepted(var next, _) ->
          writer.put(tables, step.origin(), current, next).configuration();
      case AccessDecision.Denied(var denials) -> throw new DeniedException(denials);
      case AccessDecision.SupplyNeeded() -> throw new SupplyNeededException();
    };
  }

  private void remove(
      Origin origin, TenantId tenant, Function<AccessConfiguration, AccessDecision> decision) {
    changes.change(tables ->
        decide(
            new Step(tables, origin, tenant, Optional.empty()),
            List.of(),
            state -> decision.apply(state.current())));
  }

  private static <T> T required(Optional<T> found, Kind kind, Object id) {
    return found.orElseThrow(() -> new DeniedException(new Denial.NotFound(kind, id.toString())));
  }
}
