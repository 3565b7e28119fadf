package io.headgate.agent.core;

import java.util.Comparator;

/// One worker of one attempt of a job: what this machine runs at most once, ever.
///
/// @param attempt from 1
/// @param worker from 0
public record AttemptKey(JobName job, int attempt, int worker) implements Comparable<AttemptKey> {
  private static final Comparator<AttemptKey> ORDER =
      Comparator.comparing(AttemptKey::job)
          .thenComparingInt(AttemptKey::attempt)
          .thenComparingInt(AttemptKey::worker);

  public AttemptKey {
    if (attempt < 1 || worker < 0) {
      throw new IllegalArgumentException(
          "attempt " + attempt + " must be at least 1 and worker " + worker + " at least 0");
    }
  }

  /// A name for this attempt's directory: unique, because ids hold no dots, and safe as a file
  /// name.
  public String directoryName() {
    return job.tenant() + "." + job.id() + "." + attempt + "." + worker;
  }

  @Override
  public int compareTo(AttemptKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return job + " attempt " + attempt + " worker " + worker;
  }
}
