package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;

/// A configuration in the making.
///
/// @param baseVersion in force when the draft was begun
/// @param content number of the stored content
/// @param stamp of the last edit
public record Draft(long baseVersion, long content, Configuration configuration, Stamp stamp) {
  public String etag() {
    return Etags.of(content);
  }
}
