package io.headgate.scheduler.runtime.leadership;

import java.util.HashMap;
import java.util.Map;

/// The connections between simulated processes. A partition delays messages; a process that waits
/// too long gives up by its own timer.
final class Network {
  private final World world;
  private final Map<String, Long> blockedUntil = new HashMap<>();
  private long slowUntil;

  Network(World world) {
    this.world = world;
  }

  private static String pair(String one, String other) {
    return one.compareTo(other) < 0 ? one + "|" + other : other + "|" + one;
  }

  void block(String one, String other, long untilNanos) {
    blockedUntil.merge(pair(one, other), untilNanos, Math::max);
  }

  void slowDown(long untilNanos) {
    slowUntil = Math.max(slowUntil, untilNanos);
  }

  boolean isBlocked(String one, String other) {
    return blockedUntil.getOrDefault(pair(one, other), 0L) > world.now();
  }

  /// How long a message is on its way.
  long latency() {
    if (world.now() < slowUntil && world.chance(0.3)) {
      return world.between(10 * World.MILLI, 3 * World.SECOND);
    }
    return world.between(World.MILLI / 10, 2 * World.MILLI);
  }
}
