package io.headgate.policy.runtime;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// Leaky buckets by name: each event fills a bucket, and a full bucket drains within a minute. The
/// least recently used buckets are dropped, so memory is bounded. Thread-safe.
final class LeakyBuckets {
  static final int MAX_BUCKETS = 20_000;

  private static final long DRAIN_NANOS = Duration.ofMinutes(1).toNanos();

  private final TimeSource time;
  private final Object lock = new Object();
  // Guarded by lock; in order of use.
  private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

  private static final class Bucket {
    private final int size;
    private double level;
    private long atNanos;

    Bucket(int size, long atNanos) {
      this.size = size;
      this.atNanos = atNanos;
    }

    /// The excess above the level that allows one more event; at most 0 if it is allowed.
    double excess(long nowNanos) {
      level = Math.max(0, level - (double) size * (nowNanos - atNanos) / DRAIN_NANOS);
      atNanos = nowNanos;
      return level - (size - 1);
    }
  }

  LeakyBuckets(TimeSource time) {
    this.time = time;
  }

  /// Time until the bucket has room for one more event; zero if it has.
  Duration untilRoom(String name) {
    synchronized (lock) {
      Bucket bucket = buckets.get(name);
      if (bucket == null) {
        return Duration.ZERO;
      }
      double excess = bucket.excess(time.monotonicNanos());
      return excess <= 0
          ? Duration.ZERO
          : Duration.ofNanos((long) Math.ceil(excess * DRAIN_NANOS / bucket.size));
    }
  }

  /// Adds an event if there is room.
  ///
  /// @param size events per minute
  boolean tryAdd(String name, int size) {
    synchronized (lock) {
      long now = time.monotonicNanos();
      Bucket bucket = buckets.computeIfAbsent(name, _ -> new Bucket(size, now));
      boolean room = bucket.excess(now) <= 0;
      if (room) {
        bucket.level += 1;
      }
      if (buckets.size() > MAX_BUCKETS) {
        var leastRecent = buckets.entrySet().iterator();
        leastRecent.next();
        leastRecent.remove();
      }
      return room;
    }
  }

  int size() {
    synchronized (lock) {
      return buckets.size();
    }
  }
}
