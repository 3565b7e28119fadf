package io.headgate.sdk.model;

import org.jspecify.annotations.Nullable;

/// A job to submit.
///
/// @param jobId exact id; null: made from the prefix
/// @param idPrefix the id is this, a hyphen and the next free number; null: the queue's id
public record Submission(JobSpec spec, @Nullable String jobId, @Nullable String idPrefix) {
  public static Submission of(JobSpec spec) {
    return new Submission(spec, null, null);
  }

  /// The id will be the prefix, a hyphen and the next free number.
  public static Submission named(String prefix, JobSpec spec) {
    return new Submission(spec, null, prefix);
  }
}
