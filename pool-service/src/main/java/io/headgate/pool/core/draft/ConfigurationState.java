package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.name.PoolId;
import java.util.Optional;
import java.util.Set;

/// A tenant's configuration: the version in force, the draft, and a change that is not decided yet.
///
/// @param shared pools of another owner that its profiles may name
public record ConfigurationState(
    Provisioned inForce,
    Optional<Draft> draft,
    Optional<PreparedChange> prepared,
    Set<PoolId> shared) {
  public ConfigurationState {
    shared = Set.copyOf(shared);
  }

  /// A state without an undecided change.
  public ConfigurationState(Provisioned inForce, Optional<Draft> draft) {
    this(inForce, draft, Optional.empty(), Set.of());
  }

  /// The base of an edit: the draft, or the configuration in force.
  public Configuration editable() {
    return draft.map(Draft::configuration).orElse(inForce.configuration());
  }

  /// Etag of the base of an edit.
  public String etag() {
    return draft.map(Draft::etag).orElse(inForce.etag());
  }

  /// The version that an edit is based on.
  public long baseVersion() {
    return draft.map(Draft::baseVersion).orElse(inForce.version());
  }
}
