package io.headgate.pool.core.draft;

import io.headgate.kit.decision.Outcome;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.configuration.ConfigurationReader;
import io.headgate.pool.core.configuration.ConfigurationSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.configuration.Pool;
import io.headgate.pool.core.configuration.Profile;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Decides on edits of the draft. Each result is the whole new draft.
public final class DraftDecisions {
  private DraftDecisions() {}

  /// The state that a replacement is based on.
  ///
  /// @param version that must be in force; 0: any
  /// @param etag of the configuration to replace; empty: any
  public record Expected(long version, String etag) {}

  /// The draft that `spec` describes.
  public static Outcome<Configuration, Denial> replace(
      ConfigurationState state, Expected expected, ConfigurationSpec spec) {
    long version = state.inForce().version();
    if (expected.version() != 0 && expected.version() != version) {
      return Outcome.denied(new Denial.VersionChanged(expected.version(), version));
    }
    if (!expected.etag().isEmpty() && !expected.etag().equals(state.etag())) {
      return Outcome.denied(new Denial.DraftChanged(expected.etag(), state.etag()));
    }
    return ConfigurationReader.read(spec, state.shared());
  }

  /// A request to prepare a joint change.
  ///
  /// @param version that must be in force
  /// @param spec absent: the supply stays as it is
  /// @param discardable callers whose edits of the draft may be lost
  public record Wanted(
      String id, long version, Optional<ConfigurationSpec> spec, Set<String> discardable) {
    public Wanted {
      discardable = Set.copyOf(discardable);
    }
  }

  /// The configuration that a joint change would put in force; empty: the supply stays as it is.
  ///
  /// @param by the caller; it may lose its own edits
  public static Outcome<Optional<Configuration>, Denial> prepare(
      ConfigurationState state, Wanted wanted, String by) {
    Provisioned inForce = state.inForce();
    if (state.prepared().isPresent()) {
      return Outcome.denied(inProgress(state.prepared().get()));
    }
    if (wanted.version() != inForce.version()) {
      return Outcome.denied(new Denial.VersionChanged(wanted.version(), inForce.version()));
    }
    if (wanted.spec().isEmpty()) {
      return Outcome.accepted(Optional.empty());
    }
    return switch (ConfigurationReader.read(wanted.spec().get(), state.shared())) {
      case Outcome.Denied<Configuration, Denial>(var denials) -> new Outcome.Denied<>(denials);
      case Outcome.Accepted<Configuration, Denial>(var next) -> {
        List<Denial> missing = ConfigurationReader.missing(next);
        if (!missing.isEmpty()) {
          yield new Outcome.Denied<>(missing);
        }
        if (inForce.version() > 0 && next.equals(inForce.configuration())) {
          yield Outcome.accepted(Optional.empty());
        }
        Set<String> mayLose = new HashSet<>(wanted.discardable());
        mayLose.add(by);
        List<Stamp> others =
            state.draft().map(draft -> draft.othersThan(mayLose)).orElse(List.of());
        yield others.isEmpty()
            ? Outcome.accepted(Optional.of(next))
            : Outcome.denied(new Denial.DraftOfOthers(edits(others), true));
      }
    };
  }

  /// The prepared change that a repeated request finds. It belongs to the caller that prepared it.
  ///
  /// @param prepared with the id of the request
  public static Outcome<PreparedChange, Denial> repeat(
      ConfigurationState state, PreparedChange prepared, Wanted wanted, String by) {
    if (!prepared.stamp().by().equals(by)) {
      return Outcome.denied(inProgress(prepared));
    }
    Configuration next =
        prepared
            .next()
            .map(PreparedChange.Content::configuration)
            .orElse(state.inForce().configuration());
    boolean isSame =
        wanted.version() == prepared.baseVersion()
            && (wanted.spec().isEmpty()
                ? prepared.next().isEmpty()
                : ConfigurationReader.read(wanted.spec().get(), state.shared())
                    .equals(Outcome.accepted(next)));
    return isSame
        ? Outcome.accepted(prepared)
        : Outcome.denied(new Denial.ChangeIdReused(wanted.id()));
  }

  /// Refuses a caller that has not seen what others edited. An etag shows that it has.
  ///
  /// @param etag of the draft that is replaced, discarded or provisioned; empty: any
  /// @param by the caller
  public static Outcome<ConfigurationState, Denial> seen(
      ConfigurationState state, String etag, String by) {
    if (state.draft().isEmpty()) {
      return Outcome.accepted(state);
    }
    Draft draft = state.draft().get();
    if (!etag.isEmpty()) {
      return etag.equals(draft.etag())
          ? Outcome.accepted(state)
          : Outcome.denied(new Denial.DraftChanged(etag, draft.etag()));
    }
    List<Stamp> others = draft.othersThan(Set.of(by));
    return others.isEmpty()
        ? Outcome.accepted(state)
        : Outcome.denied(new Denial.DraftOfOthers(edits(others), false));
  }

  private static Denial inProgress(PreparedChange other) {
    return new Denial.ChangeInProgress(
        other.id(), new Denial.Edit(other.stamp().at(), other.stamp().by()));
  }

  private static List<Denial.Edit> edits(List<Stamp> stamps) {
    return stamps.stream().map(stamp -> new Denial.Edit(stamp.at(), stamp.by())).toList();
  }

  public static Outcome<Configuration, Denial> createPool(ConfigurationState state, PoolSpec spec) {
    boolean taken =
        state.editable().pools().stream().anyMatch(pool -> pool.id().value().equals(spec.id()));
    return taken
        ? Outcome.denied(new Denial.NameTaken("pool_id", Kind.POOL, spec.id()))
        : ConfigurationReader.with(state.editable(), spec);
  }

  /// The draft with one pool changed.
  ///
  /// @param edit makes the new description from the present pool
  public static Outcome<Configuration, Denial> updatePool(
      ConfigurationState state, PoolId id, Function<Pool, PoolSpec> edit) {
    Optional<Pool> pool = state.editable().pool(id);
    return pool.isEmpty()
        ? Outcome.denied(new Denial.NotFound(Kind.POOL, id.value()))
        : ConfigurationReader.with(state.editable(), edit.apply(pool.get()));
  }

  public static Outcome<Configuration, Denial> deletePool(ConfigurationState state, PoolId id) {
    return state.editable().pool(id).isEmpty()
        ? Outcome.denied(new Denial.NotFound(Kind.POOL, id.value()))
        : Outcome.accepted(state.editable().without(id));
  }

  public static Outcome<Configuration, Denial> createProfile(
      ConfigurationState state, ProfileSpec spec) {
    boolean taken =
        state.editable().profiles().stream()
            .anyMatch(profile -> profile.id().value().equals(spec.id()));
    return taken
        ? Outcome.denied(new Denial.NameTaken("profile_id", Kind.PROFILE, spec.id()))
        : ConfigurationReader.with(state.editable(), spec, state.shared());
  }

  /// The draft with one profile changed.
  ///
  /// @param edit makes the new description from the present profile
  public static Outcome<Configuration, Denial> updateProfile(
      ConfigurationState state, ProfileId id, Function<Profile, ProfileSpec> edit) {
    Optional<Profile> profile = state.editable().profile(id);
    return profile.isEmpty()
        ? Outcome.denied(new Denial.NotFound(Kind.PROFILE, id.value()))
        : ConfigurationReader.with(state.editable(), edit.apply(profile.get()), state.shared());
  }

  public static Outcome<Configuration, Denial> deleteProfile(
      ConfigurationState state, ProfileId id) {
    return state.editable().profile(id).isEmpty()
        ? Outcome.denied(new Denial.NotFound(Kind.PROFILE, id.value()))
        : Outcome.accepted(state.editable().without(id));
  }

  /// The version that the draft becomes. A draft equal to the version in force becomes no new
  /// version, because a version number stands for a change.
  ///
  /// @param etag of the draft to provision; empty: any
  /// @param stamp of the new version
  public static Outcome<Provisioned, Denial> provision(
      ConfigurationState state, String etag, Stamp stamp) {
    if (state.draft().isEmpty()) {
      return Outcome.denied(new Denial.NoDraft());
    }
    Draft draft = state.draft().get();
    if (seen(state, etag, stamp.by())
        instanceof Outcome.Denied<ConfigurationState, Denial> unseen) {
      return new Outcome.Denied<>(unseen.denials());
    }
    if (state.prepared().isPresent()) {
      return Outcome.denied(inProgress(state.prepared().get()));
    }
    Provisioned inForce = state.inForce();
    if (draft.baseVersion() != inForce.version()) {
      return Outcome.denied(new Denial.DraftOutdated(draft.baseVersion(), inForce.version()));
    }
    List<Denial> missing = ConfigurationReader.missing(draft.configuration());
    if (!missing.isEmpty()) {
      return new Outcome.Denied<>(missing);
    }
    boolean isSame = inForce.version() > 0 && draft.configuration().equals(inForce.configuration());
    return Outcome.accepted(
        isSame
            ? inForce
            : new Provisioned(
                inForce.version() + 1,
                draft.content(),
                draft.configuration(),
                Optional.of(stamp),
                inForce.joint()));
  }
}
