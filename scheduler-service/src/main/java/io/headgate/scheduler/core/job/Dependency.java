package io.headgate.scheduler.core.job;

/// Another job that must end before a waiting job may start.
///
/// @param on that job
/// @param name its id in its tenant, for people
/// @param condition how it must end
public record Dependency(JobId on, String name, Condition condition) {
  /// How the other job must end.
  public enum Condition {
    /// With exit code 0.
    OK,
    /// In any way.
    ANY,
    /// In any other way than with exit code 0: it failed, was cancelled or was lost.
    FAIL;

    /// Whether an end in this final state meets the condition.
    public boolean isMetBy(JobState ended) {
      return switch (this) {
        case OK -> ended == JobState.DONE;
        case ANY -> true;
        case FAIL -> ended != JobState.DONE;
      };
    }
  }

  /// Whether the job may start, as far as this dependency goes, now that the other job has ended
  /// so.
  public boolean isMetBy(JobState ended) {
    return condition.isMetBy(ended);
  }
}
