package io.headgate.policy.runtime;

import io.headgate.kit.decision.FieldChange;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes refused privileged calls into the audit log at a bounded rate, so that an attacker can
/// neither fill the disk nor slow others down. The next entry counts the omitted ones. Thread-safe.
public final class RefusedCalls {
  static final int PER_ACTOR = 20;
  static final int IN_ALL = 300;

  private static final Logger LOG = LoggerFactory.getLogger(RefusedCalls.class);

  private final Changes changes;
  private final LeakyBuckets written;
  private final AtomicLong leftOut = new AtomicLong();

  public RefusedCalls(Changes changes, TimeSource time) {
    this.changes = changes;
    this.written = new LeakyBuckets(time);
  }

  /// Records that a call from `origin` was refused.
  ///
  /// @param action the RPC
  /// @param target the resource of the call; empty if unknown
  public void record(
      Origin origin, Optional<TenantId> tenant, String action, String target, String reason) {
    AuditEntry.Actor actor = AuditEntry.Actor.of(origin);
    String who =
        actor.subject().equals(AuditEntry.Actor.NOBODY) ? actor.address() : actor.subject();
    if (!written.tryAdd("actor " + who, PER_ACTOR) || !written.tryAdd("all", IN_ALL)) {
      leftOut.incrementAndGet();
      return;
    }
    long missing = leftOut.getAndSet(0);
    List<FieldChange> note =
        missing == 0
            ? List.of()
            : List.of(new FieldChange("entries_left_out", "", Long.toString(missing)));
    AuditEntry entry =
        new AuditEntry(changes.now(), tenant, actor, action, target, Optional.of(reason), note);
    try {
      changes
          .acrossTenants()
          .change(tables -> {
            tables.audit().append(List.of(entry));
            return entry;
          });
    } catch (RuntimeException e) {
      // The call is refused anyway and has changed nothing.
      leftOut.addAndGet(missing + 1);
      LOG.warn("a refused {} by {} could not be recorded: {}", action, who, e.toString());
    }
  }
}
