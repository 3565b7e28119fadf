package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.JobState;

/// Sentences about the jobs that other jobs wait for.
public final class DependencyText {
  private DependencyText() {}

  /// Why the dependency cannot be met any more, without the waiting job's name.
  ///
  /// @param ended how the other job ended
  public static String unmet(Dependency dependency, JobState ended) {
    String outcome =
        switch (ended) {
          case DONE -> "ended with exit code 0";
          case FAILED -> "failed";
          case CANCELLED -> "was cancelled";
          default -> "was lost";
        };
    return dependency.condition() == Dependency.Condition.FAIL
        ? "it starts only if %s does not end with exit code 0, and %s %s"
            .formatted(dependency.name(), dependency.name(), outcome)
        : "it starts only after %s has ended with exit code 0, and %s %s"
            .formatted(dependency.name(), dependency.name(), outcome);
  }
}
