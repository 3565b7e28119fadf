package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;

/// An unprovisioned configuration.
///
/// @param baseVersion version in force when the draft was begun
/// @param content number of the stored content; {@link #NOT_STORED}: the draft was only checked
/// @param stamp of the last edit
public record Draft(long baseVersion, long content, Configuration configuration, Stamp stamp) {
  public static final long NOT_STORED = -1;

  /// Empty for a draft that was only checked, because no request can refer to it.
  public String etag() {
    return content == NOT_STORED ? "" : Etags.of(content);
  }
}
