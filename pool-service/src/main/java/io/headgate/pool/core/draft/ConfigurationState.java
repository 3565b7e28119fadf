package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;
import java.util.Optional;

/// A tenant's configuration: the version in force, the draft, and a change that is not decided yet.
public record ConfigurationState(
    Provisioned inForce, Optional<Draft> draft, Optional<PreparedChange> prepared) {
  /// A state without an undecided change.
  public ConfigurationState(Provisioned inForce, Optional<Draft> draft) {
    this(inForce, draft, Optional.empty());
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
