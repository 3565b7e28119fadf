package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.AccessDecision;
import io.headgate.policy.core.access.AccessEdit;
import io.headgate.policy.core.access.AccessEdit.Mode;
import io.headgate.policy.core.access.AccessPart;
import io.headgate.policy.core.access.AccessState;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.SupplyOnDemand.Settled;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Operations on single groups, policies, queues or vaults. The core decides on each change against
/// the configuration in force, and each change makes the tenant's next version. Thread-safe.
public final class AccessItems<I extends Comparable<I>, T, S> implements TenantResources<I, T, S> {
  private final AccessPart<I, T, S> part;
  private final Changes changes;
  private final AccessWriter writer;
  private final SupplyOnDemand onDemand;

  AccessItems(
      AccessPart<I, T, S> part, Changes changes, AccessWriter writer, SupplyOnDemand onDemand) {
    this.part = part;
    this.changes = changes;
    this.writer = writer;
    this.onDemand = onDemand;
  }

  /// One edit inside of a transaction that has locked the tenant.
  private record Step(
      Tables tables, Origin origin, AccessVersion current, Optional<Supply> supply) {}

  @Override
  public T get(Caller caller, TenantId tenant, I id) {
    return required(inForce(caller, tenant), id);
  }

  @Override
  public List<T> list(Caller caller, TenantId tenant, Optional<I> after, int limit) {
    return part.all(inForce(caller, tenant)).stream()
        .filter(item -> after.isEmpty() || part.id(item).compareTo(after.get()) > 0)
        .limit(limit)
        .toList();
  }

  @Override
  public <R> R create(Origin origin, IdempotentRequest<T, R> once, TenantId tenant, S spec) {
    return onDemand.withSettledSupply(
        origin,
        tenant,
        settled ->
            changes.once(
                once, tables -> put(step(tables, origin, tenant, settled), Mode.CREATE, spec)));
  }

  @Override
  public T update(Origin origin, TenantId tenant, I id, Function<T, S> edit) {
    return onDemand.withSettledSupply(
        origin,
        tenant,
        settled ->
            changes.change(tables -> {
              Step step = step(tables, origin, tenant, settled);
              return put(
                  step, Mode.UPDATE, edit.apply(required(step.current().configuration(), id)));
            }));
  }

  @Override
  public void delete(Origin origin, TenantId tenant, I id) {
    changes.change(tables -> {
      Step step = step(tables, origin, tenant, Settled.UNREAD);
      return commit(step, AccessEdit.remove(part, step.current().configuration(), id));
    });
  }

  /// The part of the configuration that the caller sees.
  private AccessConfiguration inForce(Caller caller, TenantId tenant) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      AccessConfiguration all = tables.access().get(tenant).configuration();
      return all.seenBy(Viewers.of(caller, () -> all));
    });
  }

  private Step step(Tables tables, Origin origin, TenantId tenant, Settled settled) {
    changes.begin(tables, origin, tenant);
    AccessVersion current = tables.access().get(tenant);
    settled.require(current);
    return new Step(tables, origin, current, settled.supply());
  }

  private T put(Step step, Mode mode, S spec) {
    AccessState state =
        SupplyOnDemand.state(step.tables(), step.current(), part.exceeding(spec), step.supply());
    AccessDecision decision = AccessEdit.put(part, state, mode, spec);
    AccessConfiguration next = commit(step, decision);
    return part.find(next, part.specId(spec)).orElseThrow();
  }

  private AccessConfiguration commit(Step step, AccessDecision decision) {
    AccessConfiguration next = SupplyOnDemand.accepted(decision).next();
    return writer.put(step.tables(), step.origin(), step.current(), next).configuration();
  }

  private T required(AccessConfiguration configuration, I id) {
    return part.find(configuration, id)
        .orElseThrow(() -> new DeniedException(new Denial.NotFound(part.kind(), id.toString())));
  }
}
