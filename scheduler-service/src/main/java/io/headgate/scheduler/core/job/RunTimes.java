package io.headgate.scheduler.core.job;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How long the attempts of a queue ran that ended by themselves (O7): a histogram with eight
/// buckets for each doubling of the run time, so a run time is known to within 5 %.
///
/// Example: five runs of 10 minutes ended. An attempt that has run for 1 minute is expected to run
/// for 10 minutes in all, one that has run for 12 minutes is endless.
public final class RunTimes {
  /// The number of ended runs from which on their lack of longer ones says that a run is endless.
  public static final int ENOUGH_RUNS = 5;

  /// The runs at whose number all counts are halved, so that old runs weigh less and less.
  public static final int MOST_RUNS = 4096;

  private static final int BUCKETS = 192;
  private static final int PER_DOUBLING = 8;

  /// The lower bounds of the first eight buckets in milliseconds: 1000 × 2^(k/8).
  private static final long[] FIRST = {1000, 1091, 1189, 1297, 1414, 1542, 1682, 1834};

  private static final long[] LOWER = lowerBounds();

  /// Most queues have none.
  private static final int[] NONE = {};

  private int[] counts = NONE;
  private int runs;

  /// For each bucket that of the median of the longer runs, or -1; null: not asked for yet.
  private int @Nullable [] medians;

  private long changes;

  private static long[] lowerBounds() {
    long[] bounds = new long[BUCKETS + 1];
    for (int bucket = 1; bucket <= BUCKETS; bucket++) {
      bounds[bucket] = FIRST[bucket % PER_DOUBLING] << (bucket / PER_DOUBLING);
    }
    return bounds;
  }

  /// The lower bounds of all buckets but the first, which begins at 0; in milliseconds, ascending.
  /// A store counts runs by them.
  public static Long[] bounds() {
    Long[] bounds = new Long[BUCKETS - 1];
    Arrays.setAll(bounds, index -> LOWER[index + 1]);
    return bounds;
  }

  private static int bucket(Duration run) {
    return bucket(run.toMillis());
  }

  private static int bucket(long millis) {
    int found = Arrays.binarySearch(LOWER, 0, BUCKETS, Math.max(0, millis));
    return found >= 0 ? found : -found - 2;
  }

  private static long middle(int bucket) {
    return (LOWER[bucket] + LOWER[bucket + 1]) / 2;
  }

  /// Counts an attempt that ended by itself after this time.
  public void add(Duration run) {
    boolean wereEnough = areEnough();
    add(bucket(run), 1);
    while (runs >= MOST_RUNS) {
      halve();
    }
    int[] before = medians;
    medians = before == null ? null : findMedians();
    if (before == null || wereEnough != areEnough() || !Arrays.equals(before, medians)) {
      changes++;
    }
  }

  /// The same is expected while this number stays.
  public long changes() {
    return changes;
  }

  private void add(int bucket, int more) {
    if (counts.length == 0) {
      counts = new int[BUCKETS];
    }
    counts[bucket] += more;
    runs += more;
  }

  /// A run time that was seen once stays known.
  private void halve() {
    runs = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      counts[bucket] = (counts[bucket] + 1) / 2;
      runs += counts[bucket];
    }
  }

  /// Takes the numbers of runs by bucket as [#state] gave them, or as counted with [#bounds].
  ///
  /// @throws IllegalArgumentException when there is no such bucket
  public void load(Map<Integer, Integer> known) {
    changes++;
    medians = null;
    for (Map.Entry<Integer, Integer> each : new TreeMap<>(known).entrySet()) {
      if (each.getKey() < 0 || each.getKey() >= BUCKETS || each.getValue() < 0) {
        throw new IllegalArgumentException("bucket of run times " + each);
      }
      add(each.getKey(), each.getValue());
    }
    while (runs >= MOST_RUNS) {
      halve();
    }
  }

  /// The numbers of runs by bucket.
  public Map<Integer, Integer> state() {
    TreeMap<Integer, Integer> state = new TreeMap<>();
    for (int bucket = 0; bucket < counts.length; bucket++) {
      if (counts[bucket] > 0) {
        state.put(bucket, counts[bucket]);
      }
    }
    return state;
  }

  /// Whether so many runs ended that an attempt which outlasts all of them is endless.
  public boolean areEnough() {
    return runs >= ENOUGH_RUNS;
  }

  /// The run time that half of those runs stay within that lasted longer than the given time;
  /// always more than that. Empty: none lasted longer.
  public Optional<Duration> median(Duration elapsed) {
    int bucket = median(elapsed.toMillis());
    return bucket < 0 ? Optional.empty() : Optional.of(runTime(bucket, elapsed, false));
  }

  /// @return a bucket; -1: none lasted longer
  private int median(long elapsed) {
    if (counts.length == 0 || elapsed >= LOWER[BUCKETS]) {
      return -1;
    }
    if (medians == null) {
      medians = findMedians();
    }
    return medians[bucket(elapsed)];
  }

  private int[] findMedians() {
    int[] found = new int[BUCKETS];
    int median = BUCKETS - 1;
    long longer = 0;
    long beyond = 0; // runs in buckets beyond the median's
    for (int bucket = BUCKETS - 1; bucket >= 0; bucket--) {
      longer += counts[bucket];
      long most = longer / 2;
      while (median > bucket && beyond + counts[median] <= most) {
        beyond += counts[median];
        median--;
      }
      found[bucket] = longer == 0 ? -1 : median;
    }
    return found;
  }

  /// The first elapsed time after the given one at which [#median] says something else, or a little
  /// less. Only where there is a median.
  public Duration sameUntil(Duration elapsed) {
    int bucket = bucket(elapsed);
    int median = median(elapsed.toMillis());
    if (median == bucket) {
      long middle = middle(bucket);
      return Duration.ofMillis(middle > elapsed.toMillis() ? middle : LOWER[bucket + 1]);
    }
    int next = bucket + 1;
    while (next < median && Objects.requireNonNull(medians)[next] == median) {
      next++;
    }
    return Duration.ofMillis(LOWER[next]);
  }

  /// The run time that 95 of 100 runs stay within of those that lasted longer than the given time.
  /// Empty: none lasted longer.
  public Optional<Duration> high(Duration elapsed) {
    if (elapsed.toMillis() >= LOWER[BUCKETS]) {
      return Optional.empty();
    }
    int first = bucket(elapsed);
    long longer = 0;
    for (int bucket = first; bucket < counts.length; bucket++) {
      longer += counts[bucket];
    }
    long rest = (longer * 95 + 99) / 100;
    for (int bucket = first; bucket < counts.length; bucket++) {
      rest -= counts[bucket];
      if (rest <= 0 && longer > 0) {
        return Optional.of(runTime(bucket, elapsed, true));
      }
    }
    return Optional.empty();
  }

  /// A run time of the bucket that is more than the elapsed time.
  private static Duration runTime(int bucket, Duration elapsed, boolean isCautious) {
    boolean isUpper = isCautious || middle(bucket) <= elapsed.toMillis();
    return Duration.ofMillis(isUpper ? LOWER[bucket + 1] : middle(bucket));
  }
}
