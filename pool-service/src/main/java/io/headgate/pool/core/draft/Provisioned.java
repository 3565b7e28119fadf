package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;
import java.util.Optional;

/// A version of a tenant's configuration.
///
/// @param version 0: nothing was ever provisioned
/// @param content number of the stored content; 0: none
/// @param stamp absent exactly for version 0
/// @param joint the last change together with rights, up to this version; absent: there was none
public record Provisioned(
    long version,
    long content,
    Configuration configuration,
    Optional<Stamp> stamp,
    Optional<JointChange> joint) {
  public static final Provisioned NOTHING =
      new Provisioned(0, 0, Configuration.EMPTY, Optional.empty());

  /// A version before any joint change.
  public Provisioned(
      long version, long content, Configuration configuration, Optional<Stamp> stamp) {
    this(version, content, configuration, stamp, Optional.empty());
  }

  public String etag() {
    return Etags.of(content);
  }
}
