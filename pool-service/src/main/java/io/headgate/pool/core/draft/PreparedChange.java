package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;
import java.util.Optional;
import java.util.OptionalLong;

/// The supply's half of a joint change that is checked, stored and not in force. The owner of
/// rights decides whether it ever is.
///
/// @param baseVersion in force, until the change is settled
/// @param next the configuration that it puts in force; absent: only rights change
/// @param draftContent number of the draft that the change makes useless; absent: there was none
/// @param stamp time and author of the preparation
public record PreparedChange(
    String id, long baseVersion, Optional<Content> next, OptionalLong draftContent, Stamp stamp) {
  /// A stored configuration.
  ///
  /// @param number of the content
  public record Content(long number, Configuration configuration) {}

  /// The version in force once the change is committed.
  public long version() {
    return next.isPresent() ? baseVersion + 1 : baseVersion;
  }

  /// The version that it puts in force; empty: only rights change.
  ///
  /// @param inForce the version in force
  /// @param accessVersion of the rights with the change
  public Optional<Provisioned> committed(Provisioned inForce, long accessVersion, Stamp at) {
    return next.map(content ->
        new Provisioned(
            inForce.version() + 1,
            content.number(),
            content.configuration(),
            Optional.of(new Stamp(at.at(), stamp.by())),
            Optional.of(new JointChange(id, inForce.version() + 1, accessVersion))));
  }
}
