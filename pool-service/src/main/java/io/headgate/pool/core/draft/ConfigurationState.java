package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;
import java.util.Optional;

/// A tenant's configuration as it stands.
public record ConfigurationState(Provisioned inForce, Optional<Draft> draft) {

  /// What an edit starts from: the draft, or what is in force.
  public Configuration editable() {
    return draft.map(Draft::configuration).orElse(inForce.configuration());
  }

  /// Of what an edit starts from.
  public String etag() {
    return draft.map(Draft::etag).orElse(inForce.etag());
  }

  /// The version that an edit is based on.
  public long baseVersion() {
    return draft.map(Draft::baseVersion).orElse(inForce.version());
  }
}
