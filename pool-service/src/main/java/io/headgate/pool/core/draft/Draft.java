package io.headgate.pool.core.draft;

import io.headgate.pool.core.configuration.Configuration;
import java.util.List;
import java.util.Set;

/// An unprovisioned configuration.
///
/// @param baseVersion version in force when the draft was begun
/// @param content number of the stored content; {@link #NOT_STORED}: the draft was only checked
/// @param stamp of the last edit
/// @param editors the last edit of each caller that edited it, newest first
public record Draft(
    long baseVersion, long content, Configuration configuration, Stamp stamp, List<Stamp> editors) {
  public static final long NOT_STORED = -1;

  public Draft {
    editors = List.copyOf(editors);
  }

  /// A draft with one editor.
  public Draft(long baseVersion, long content, Configuration configuration, Stamp stamp) {
    this(baseVersion, content, configuration, stamp, List.of(stamp));
  }

  /// The last edits of callers other than these.
  public List<Stamp> othersThan(Set<String> subjects) {
    return editors.stream().filter(edit -> !subjects.contains(edit.by())).toList();
  }

  /// Empty for a draft that was only checked, because no request can refer to it.
  public String etag() {
    return content == NOT_STORED ? "" : Etags.of(content);
  }
}
