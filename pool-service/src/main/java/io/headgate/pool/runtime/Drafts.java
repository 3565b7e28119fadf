package io.headgate.pool.runtime;

import static io.headgate.kit.decision.DeniedException.require;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.decision.Outcome;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.configuration.ConfigurationDifference;
import io.headgate.pool.core.configuration.ConfigurationSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.configuration.ConfigurationWarning;
import io.headgate.pool.core.configuration.Pool;
import io.headgate.pool.core.configuration.Profile;
import io.headgate.pool.core.configuration.Warnings;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.Draft;
import io.headgate.pool.core.draft.DraftDecisions;
import io.headgate.pool.core.draft.DraftDecisions.Expected;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.draft.Stamp;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node;
import io.headgate.pool.runtime.AuditEntry.Action;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Edits and provisions the configurations of tenants. Thread-safe.
public final class Drafts {
  private final Changes changes;
  private final TimeSource time;

  public Drafts(Changes changes, TimeSource time) {
    this.changes = changes;
    this.time = time;
  }

  /// A replaced draft, and the warnings before its provisioning.
  public record Replaced(Draft draft, List<ConfigurationWarning> warnings) {
    public Replaced {
      warnings = List.copyOf(warnings);
    }
  }

  public ConfigurationState state(TenantId tenant) {
    return changes.read(view -> view.state(tenant));
  }

  /// One version with its content.
  ///
  /// @param version 0: the one in force
  public Provisioned version(TenantId tenant, long version) {
    return changes.read(view -> {
      Provisioned inForce = view.state(tenant).inForce();
      if (version == 0 || version == inForce.version()) {
        return inForce;
      }
      return view.version(tenant, version)
          .orElseThrow(
              () -> new DeniedException(new Denial.VersionNotFound(version, inForce.version())));
    });
  }

  /// Versions below `before`, newest first, without their contents.
  public List<Provisioned> versions(TenantId tenant, long before, int limit) {
    return changes.read(view -> view.versions(tenant, before, limit));
  }

  public Replaced replace(
      Caller caller, TenantId tenant, Expected expected, ConfigurationSpec spec) {
    return changes.commit(
        caller,
        transaction -> {
          ConfigurationState state = transaction.lockState(tenant);
          Configuration next = require(DraftDecisions.replace(state, expected, spec));
          require(DraftDecisions.seen(state, expected.etag(), caller.subject()));
          Draft draft =
              state
                  .draft()
                  .filter(same -> isSame(same, state, next))
                  .orElseGet(() ->
                      put(transaction, caller, tenant, state, state.inForce().version(), next));
          return new Replaced(draft, warnings(tenant, state, next, transaction.nodes(tenant)));
        });
  }

  /// The result that {@link #replace} would have; nothing is stored. The draft has the stored
  /// draft's content number if it equals that draft, otherwise none.
  public Replaced check(Caller caller, TenantId tenant, Expected expected, ConfigurationSpec spec) {
    return changes.read(view -> {
      ConfigurationState state = view.state(tenant);
      Configuration next = require(DraftDecisions.replace(state, expected, spec));
      Draft draft =
          state
              .draft()
              .filter(same -> isSame(same, state, next))
              .orElseGet(() ->
                  new Draft(state.inForce().version(), Draft.NOT_STORED, next, stamp(caller)));
      List<Node> nodes = view.nodes(tenant, Optional.empty(), Integer.MAX_VALUE);
      List<ConfigurationWarning> warnings = new ArrayList<>(warnings(tenant, state, next, nodes));
      List<String> others =
          state
              .draft()
              .map(stored -> stored.othersThan(Set.of(caller.subject())))
              .orElse(List.of())
              .stream()
              .map(Stamp::by)
              .toList();
      if (!others.isEmpty()) {
        warnings.add(new ConfigurationWarning.UselessDraft(others));
      }
      return new Replaced(draft, warnings);
    });
  }

  /// Whether the replaced draft is the stored one. A draft that another version has overtaken is
  /// written anew, from the version in force; it could not be provisioned otherwise.
  private static boolean isSame(Draft draft, ConfigurationState state, Configuration next) {
    return draft.baseVersion() == state.inForce().version() && draft.configuration().equals(next);
  }

  /// Forgets the draft.
  ///
  /// @param etag of the draft; empty: any that no other caller edited
  public void discard(Caller caller, TenantId tenant, String etag) {
    changes.commit(
        caller,
        transaction -> {
          ConfigurationState state = transaction.lockState(tenant);
          require(DraftDecisions.seen(state, etag, caller.subject()));
          if (state.draft().isPresent()) {
            transaction.deleteDraft(tenant);
            transaction.audit(
                entry(
                    tenant,
                    Action.DISCARD_DRAFT,
                    state.editable(),
                    state.inForce().configuration()));
          }
          return state;
        });
  }

  /// Provisions the draft. A draft equal to the configuration in force is only dropped, because a
  /// version number stands for a change.
  ///
  /// @return the answer that `once` encodes
  public byte[] provision(
      Caller caller, TenantId tenant, String etag, IdempotentRequest<Provisioned> once) {
    return changes.commit(
        caller,
        transaction -> transaction.once(once, () -> provision(transaction, caller, tenant, etag)));
  }

  /// The result that {@link #provision} would have; nothing is stored.
  public Provisioned checkProvision(Caller caller, TenantId tenant, String etag) {
    return changes.read(
        view -> require(DraftDecisions.provision(view.state(tenant), etag, stamp(caller))));
  }

  private Provisioned provision(
      SupplyTransaction transaction, Caller caller, TenantId tenant, String etag) {
    ConfigurationState state = transaction.lockState(tenant);
    Provisioned next = require(DraftDecisions.provision(state, etag, stamp(caller)));
    Provisioned inForce = state.inForce();
    if (next.version() == inForce.version()) {
      transaction.deleteDraft(tenant);
      return inForce;
    }
    transaction.provision(tenant, next);
    transaction.changed(new CatalogChange.ConfigurationChange(tenant));
    transaction.audit(
        entry(tenant, Action.PROVISION, inForce.configuration(), next.configuration()));
    return next;
  }

  /// Adds one pool to the draft.
  ///
  /// @return the answer that `once` encodes
  public byte[] createPool(
      Caller caller, TenantId tenant, PoolSpec spec, IdempotentRequest<Pool> once) {
    return create(
        caller,
        tenant,
        state -> DraftDecisions.createPool(state, spec),
        once,
        draft -> draft.pool(new PoolId(spec.id())));
  }

  /// Changes one pool in the draft.
  ///
  /// @param edit makes the new description from the present pool
  public Pool updatePool(Caller caller, TenantId tenant, PoolId id, Function<Pool, PoolSpec> edit) {
    return edit(caller, tenant, state -> DraftDecisions.updatePool(state, id, edit))
        .pool(id)
        .orElseThrow();
  }

  public void deletePool(Caller caller, TenantId tenant, PoolId id) {
    edit(caller, tenant, state -> DraftDecisions.deletePool(state, id));
  }

  /// Adds one profile to the draft.
  ///
  /// @return the answer that `once` encodes
  public byte[] createProfile(
      Caller caller, TenantId tenant, ProfileSpec spec, IdempotentRequest<Profile> once) {
    return create(
        caller,
        tenant,
        state -> DraftDecisions.createProfile(state, spec),
        once,
        draft -> draft.profile(new ProfileId(spec.id())));
  }

  /// Changes one profile in the draft.
  ///
  /// @param edit makes the new description from the present profile
  public Profile updateProfile(
      Caller caller, TenantId tenant, ProfileId id, Function<Profile, ProfileSpec> edit) {
    return edit(caller, tenant, state -> DraftDecisions.updateProfile(state, id, edit))
        .profile(id)
        .orElseThrow();
  }

  public void deleteProfile(Caller caller, TenantId tenant, ProfileId id) {
    edit(caller, tenant, state -> DraftDecisions.deleteProfile(state, id));
  }

  /// @param created finds the new object in the draft
  private <T> byte[] create(
      Caller caller,
      TenantId tenant,
      Function<ConfigurationState, Outcome<Configuration, Denial>> decision,
      IdempotentRequest<T> once,
      Function<Configuration, Optional<T>> created) {
    return changes.commit(
        caller,
        transaction ->
            transaction.once(
                once,
                () -> created.apply(edit(transaction, caller, tenant, decision)).orElseThrow()));
  }

  private Configuration edit(
      Caller caller,
      TenantId tenant,
      Function<ConfigurationState, Outcome<Configuration, Denial>> decision) {
    return changes.commit(caller, transaction -> edit(transaction, caller, tenant, decision));
  }

  private Configuration edit(
      SupplyTransaction transaction,
      Caller caller,
      TenantId tenant,
      Function<ConfigurationState, Outcome<Configuration, Denial>> decision) {
    ConfigurationState state = transaction.lockState(tenant);
    Configuration next = require(decision.apply(state));
    if (!next.equals(state.editable())) {
      put(transaction, caller, tenant, state, state.baseVersion(), next);
    }
    return next;
  }

  private Draft put(
      SupplyTransaction transaction,
      Caller caller,
      TenantId tenant,
      ConfigurationState state,
      long baseVersion,
      Configuration next) {
    transaction.audit(entry(tenant, Action.EDIT_DRAFT, state.editable(), next));
    return transaction.putDraft(tenant, baseVersion, next, stamp(caller));
  }

  private static List<ConfigurationWarning> warnings(
      TenantId tenant, ConfigurationState state, Configuration next, List<Node> nodes) {
    List<ConfigurationWarning> warnings =
        Warnings.about(state.inForce().configuration(), next, nodes);
    // The profiles that use shared pools are those of other tenants.
    return tenant.equals(TenantId.PLATFORM)
        ? warnings.stream()
            .filter(warning -> !(warning instanceof ConfigurationWarning.UnusedPool))
            .toList()
        : warnings;
  }

  private static AuditEntry entry(
      TenantId tenant, Action action, Configuration before, Configuration after) {
    return new AuditEntry(
        tenant, action, "tenants/" + tenant, ConfigurationDifference.between(before, after));
  }

  private Stamp stamp(Caller caller) {
    // Rounded to the database's precision, so that the answer equals later reads.
    return new Stamp(time.instant().truncatedTo(ChronoUnit.MICROS), caller.subject());
  }
}
