package io.headgate.pool.runtime;

import static io.headgate.kit.decision.DeniedException.require;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.configuration.ConfigurationDifference;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.DraftDecisions;
import io.headgate.pool.core.draft.DraftDecisions.Wanted;
import io.headgate.pool.core.draft.PreparedChange;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.draft.Stamp;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.runtime.AuditEntry.Action;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The supply's halves of changes of supply and rights. Each is prepared here, decided by the owner
/// of rights, and settled here. A process may die between any two of these steps: what was prepared
/// stays, and not in force, until the decision comes. Thread-safe.
public final class JointChanges {
  private final Changes changes;
  private final TimeSource time;
  private final ChangeFailpoint.Handler failpoints;

  public JointChanges(Changes changes, TimeSource time, ChangeFailpoint.Handler failpoints) {
    this.changes = changes;
    this.time = time;
    this.failpoints = failpoints;
  }

  /// How the owner of rights decided.
  public sealed interface Outcome {
    /// The change is in force.
    ///
    /// @param accessVersion of the rights with it
    record Committed(long accessVersion) implements Outcome {}

    /// The change never will be in force.
    record Abandoned() implements Outcome {}
  }

  /// Checks and stores a change; nothing comes into force. A repeated request finds its change.
  public PreparedChange prepare(Caller caller, TenantId tenant, Wanted wanted) {
    PreparedChange made =
        changes.commit(
            caller,
            transaction -> {
              ConfigurationState state = transaction.lockState(tenant);
              Optional<PreparedChange> same =
                  state.prepared().filter(prepared -> prepared.id().equals(wanted.id()));
              if (same.isPresent()) {
                return require(DraftDecisions.repeat(state, same.get(), wanted, caller.subject()));
              }
              if (transaction.isCommitted(tenant, wanted.id())) {
                throw new DeniedException(
                    new Denial.VersionChanged(wanted.version(), state.inForce().version()));
              }
              Optional<Configuration> next =
                  require(DraftDecisions.prepare(state, wanted, caller.subject()));
              PreparedChange prepared =
                  transaction.prepare(tenant, wanted, next, stamp(caller.subject()));
              if (next.isPresent()) {
                transaction.changed(new CatalogChange.ConfigurationChange(tenant));
              }
              transaction.audit(
                  entry(
                      tenant,
                      Action.PREPARE_CHANGE,
                      wanted.id(),
                      state.inForce().configuration(),
                      next.orElse(state.inForce().configuration())));
              failpoints.at(ChangeFailpoint.BEFORE_PREPARED);
              return prepared;
            });
    failpoints.at(ChangeFailpoint.AFTER_PREPARED);
    return made;
  }

  /// The undecided change of one tenant, or of all tenants.
  public Map<TenantId, PreparedChange> list(Optional<TenantId> tenant) {
    return changes.read(
        view -> tenant.isPresent() ? view.prepared(List.of(tenant.get())) : view.allPrepared());
  }

  /// Carries a decision out. A change that is settled already stays as it is.
  public void settle(Caller caller, TenantId tenant, String id, Outcome outcome) {
    changes.commit(
        caller,
        transaction -> {
          ConfigurationState state = transaction.lockState(tenant);
          state
              .prepared()
              .filter(prepared -> prepared.id().equals(id))
              .ifPresent(prepared -> settle(transaction, tenant, state, prepared, outcome));
          failpoints.at(ChangeFailpoint.BEFORE_SETTLED);
          return state;
        });
    failpoints.at(ChangeFailpoint.AFTER_SETTLED);
  }

  private void settle(
      SupplyTransaction transaction,
      TenantId tenant,
      ConfigurationState state,
      PreparedChange prepared,
      Outcome outcome) {
    transaction.deletePrepared(tenant);
    if (prepared.next().isEmpty()) {
      return;
    }
    transaction.changed(new CatalogChange.ConfigurationChange(tenant));
    Configuration inForce = state.inForce().configuration();
    switch (outcome) {
      case Outcome.Abandoned() -> {
        transaction.deleteContent(tenant, prepared.next().get().number());
        transaction.audit(entry(tenant, Action.ABANDON_CHANGE, prepared.id(), inForce, inForce));
      }
      case Outcome.Committed(long accessVersion) -> {
        Provisioned next =
            prepared
                .committed(state.inForce(), accessVersion, stamp(prepared.stamp().by()))
                .orElseThrow();
        // A draft that was edited since the preparation stays: its loss was never agreed to.
        state
            .draft()
            .filter(draft -> prepared.draftContent().equals(OptionalLong.of(draft.content())))
            .ifPresent(_ -> transaction.deleteDraft(tenant));
        transaction.provision(tenant, next);
        transaction.audit(
            entry(tenant, Action.PROVISION, prepared.id(), inForce, next.configuration()));
      }
    }
  }

  private static AuditEntry entry(
      TenantId tenant, Action action, String change, Configuration before, Configuration after) {
    return new AuditEntry(
        tenant,
        action,
        "tenants/" + tenant + "/changes/" + change,
        ConfigurationDifference.between(before, after));
  }

  private Stamp stamp(String by) {
    // Rounded to the database's precision, so that the answer equals later reads.
    return new Stamp(time.instant().truncatedTo(ChronoUnit.MICROS), by);
  }
}
