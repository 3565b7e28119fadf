package io.headgate.sdk.model;

import java.util.List;

/// One step of a watch of jobs.
///
/// @param version after this step; a later watch begins from it
/// @param reset forget everything known before
/// @param jobs that came or changed, each whole
/// @param removed ids of jobs that are no longer kept, or no longer match
/// @param complete false while the rest of a snapshot is still to come
public record JobChange(
    long version, boolean reset, List<Job> jobs, List<String> removed, boolean complete) {
  public JobChange {
    jobs = List.copyOf(jobs);
    removed = List.copyOf(removed);
  }
}
