package io.headgate.scheduler.benchmark;

import java.util.TreeMap;

/// A fixed piece of work by which figures of different machines are compared.
///
/// It walks trees and hashes, as the core does. No change of Headgate makes it faster.
final class CpuLoop {
  /// How often the work is done in a second, and in a second of processor time. They differ on a
  /// machine that is busy with something else.
  record Speed(double perSecond, double perCpuSecond) {
    Speed mean(Speed other) {
      return new Speed((perSecond + other.perSecond) / 2, (perCpuSecond + other.perCpuSecond) / 2);
    }
  }

  private static final int KEYS = 20_000;
  private static final long MEASURE_NANOS = 500_000_000L;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private long sum;

  /// How fast the machine is now; a loop is 20,000 insertions and as many look-ups.
  Speed measure() {
    Stopwatch watch = new Stopwatch();
    int loops = 0;
    while (watch.nanos() < MEASURE_NANOS) {
      sum += watch.time(CpuLoop::loop);
      loops++;
    }
    if (sum == 0) {
      throw new IllegalStateException("the work was not done");
    }
    return new Speed(
        loops * NANOS_PER_SECOND / watch.nanos(), loops * NANOS_PER_SECOND / watch.cpuNanos());
  }

  private static long loop() {
    TreeMap<Long, Long> tree = new TreeMap<>();
    long key = 1;
    for (int i = 0; i < KEYS; i++) {
      key = (key ^ (key >>> 31)) * MIX + i;
      tree.put(key, key);
    }
    long found = 0;
    for (int i = 0; i < KEYS; i++) {
      key = (key ^ (key >>> 29)) * MIX + i;
      Long above = tree.ceilingKey(key);
      found += above == null ? 1 : above | 1;
    }
    return found;
  }
}
