package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.decision.FieldChange;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.Tenant;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.PolicyStore;
import io.headgate.policy.runtime.port.Tables;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/// Runs every change: in one transaction, idempotent, recorded in the audit log. Thread-safe.
public final class Changes {
  private final PolicyStore store;
  private final TimeSource time;

  public Changes(PolicyStore store, TimeSource time) {
    this.store = store;
    this.time = time;
  }

  /// The time, rounded to the database's precision, so that the answer equals later reads.
  public Instant now() {
    return time.instant().truncatedTo(ChronoUnit.MICROS);
  }

  /// Without a bound to the caller's tenant. Each use is a decision, and TenantReachTest lists
  /// them.
  public Changes acrossTenants() {
    return new Changes(store.acrossTenants(), time);
  }

  /// The monotonic time of this process; wall clocks of several machines differ.
  long monotonicNanos() {
    return time.monotonicNanos();
  }

  public <T> T read(Function<Tables, T> work) {
    return store.read(work);
  }

  public <T> T change(Function<Tables, T> work) {
    return store.change(work);
  }

  /// Runs `work`, unless the request was answered before.
  <T, R> R once(IdempotentRequest<T, R> once, Function<Tables, T> work) {
    if (once.request().isEmpty()) {
      return once.answer().apply(store.change(work));
    }
    // A new answer need not be parsed from its bytes.
    AtomicReference<R> made = new AtomicReference<>();
    byte[] bytes =
        store.change(tables ->
            tables
                .requests()
                .once(
                    once.request().get(),
                    () -> {
                      R answer = once.answer().apply(work.apply(tables));
                      made.set(answer);
                      return once.toBytes().apply(answer);
                    }));
    return Optional.ofNullable(made.get()).orElseGet(() -> once.fromBytes().apply(bytes));
  }

  /// Begins a write within a tenant, which is locked until the end of the transaction. Refuses a
  /// caller whose rights were withdrawn.
  Tenant begin(Tables tables, Origin origin, TenantId tenant) {
    Tenant locked = tables.tenants().lock(tenant).orElseThrow(() -> absent(tenant));
    requireCaller(tables, origin);
    return locked;
  }

  /// Refuses a caller whose rights were withdrawn; for a write outside of tenants.
  void requireCaller(Tables tables, Origin origin) {
    CallerCheck.require(tables, origin, now());
  }

  static Tenant find(Tables tables, TenantId tenant) {
    return tables.tenants().find(tenant).orElseThrow(() -> absent(tenant));
  }

  void record(
      Tables tables,
      Origin origin,
      Optional<TenantId> tenant,
      String action,
      String target,
      List<FieldChange> changes) {
    tables.audit().append(List.of(entry(origin, tenant, action, target, changes)));
  }

  /// Records a change that has no fields of each of the targets, such as their creation.
  void recordAll(
      Tables tables, Origin origin, TenantId tenant, String action, List<String> targets) {
    tables
        .audit()
        .append(
            targets.stream()
                .map(target -> entry(origin, Optional.of(tenant), action, target, List.of()))
                .toList());
  }

  private AuditEntry entry(
      Origin origin,
      Optional<TenantId> tenant,
      String action,
      String target,
      List<FieldChange> changes) {
    return new AuditEntry(
        now(), tenant, AuditEntry.Actor.of(origin), action, target, Optional.empty(), changes);
  }

  private static DeniedException absent(TenantId tenant) {
    return new DeniedException(new Denial.NotFound(Kind.TENANT, tenant.value()));
  }
}
