package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;
import java.util.Optional;

/// A tenant's configuration: the version in force and the draft.
public record ConfigurationState(Provisioned inForce, Optional<Draft> draft) {

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
