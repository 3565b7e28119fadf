package io.headgate.agent.core;

import java.util.Comparator;

/// One worker of one attempt of a job: what this machine runs at most once, ever.
///
/// @param uid tells its job from others that had the name before; empty: of a scheduler, or of a
///   record of this machine, that does not say it
/// @param attempt from 1
/// @param worker from 0
public record AttemptKey(JobName job, String uid, int attempt, int worker)
    implements Comparable<AttemptKey> {
  private static final Comparator<AttemptKey> ORDER =
      Comparator.comparing(AttemptKey::job)
          .thenComparingInt(AttemptKey::attempt)
          .thenComparingInt(AttemptKey::worker)
          .thenComparing(AttemptKey::uid);

  private static final int MAX_UID_LENGTH = 64;

  public AttemptKey {
    if (attempt < 1 || worker < 0) {
      throw new IllegalArgumentException(
          "attempt " + attempt + " must be at least 1 and worker " + worker + " at least 0");
    }
    if (uid.length() > MAX_UID_LENGTH || !uid.chars().allMatch(AttemptKey::isOfUid)) {
      throw new IllegalArgumentException(
          "uid '" + uid + "' is not made of up to 64 lower-case letters, digits and hyphens");
    }
  }

  private static boolean isOfUid(int c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  }

  /// Returns the key without a uid. It sorts before all other keys of its name.
  AttemptKey byName() {
    return new AttemptKey(job, "", attempt, worker);
  }

  /// A name for this attempt's directory: safe as a file name, and unique. Only the id of an
  /// array's element has a dot, before its number, and no uid is a number.
  public String directoryName() {
    String name = job.tenant() + "." + job.id() + "." + attempt + "." + worker;
    return uid.isEmpty() ? name : name + "." + uid;
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
