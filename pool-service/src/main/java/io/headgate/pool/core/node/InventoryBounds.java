package io.headgate.pool.core.node;

import java.util.Optional;
import java.util.TreeSet;

/// Decides whether a report of a node is plausible. A node is trusted about itself only as far as
/// its pool and an admin's approval go: a lying node would get jobs, and with them their secrets.
public final class InventoryBounds {
  private static final long GIB = 1L << 30;

  /// No machine has more: 64 GPUs of 1 TiB, 4096 CPUs, 64 TiB of memory.
  private static final Claims SANE =
      new Claims(64, new TreeSet<>(), 1024 * GIB, 4096 * 1000L, 64 * 1024 * GIB, false);

  private InventoryBounds() {}

  /// The bound of first reports to a pool in force.
  ///
  /// @param most that a node of it has; in it, 0 of memory or CPUs means that the pool does not
  ///   say; empty: it says nothing
  public record OfPool(Optional<Claims> most) {}

  /// Why the report needs an admin's approval, in one sentence; empty: it needs none.
  ///
  /// @param approved what was accepted for the node so far; empty: this is its first report
  /// @param pool its pool's; empty: the pool is not in force, so that it may yet say anything
  static Optional<String> objection(
      Claims claims, Optional<Claims> approved, Optional<OfPool> pool) {
    if (approved.isPresent()) {
      return approved.get().devices() > 0
              && claims.devices() > 0
              && approved.get().simulated() != claims.simulated()
          ? Optional.of(
              claims.simulated()
                  ? "its GPUs are simulated now, and were not before"
                  : "its GPUs are real now, and were simulated before")
          : claims.excess(approved.get(), "approved are");
    }
    if (pool.isEmpty()) {
      return Optional.of("its pool is not provisioned, so nothing bounds its first report");
    }
    return pool.get()
        .most()
        .flatMap(known -> excess(claims, known))
        .or(() -> claims.excess(SANE, "the most that is believed without approval is"));
  }

  /// The first part of the claims beyond a node of its pool, in one sentence; empty: none.
  ///
  /// @param most as of [OfPool]
  public static Optional<String> excess(Claims claims, Claims most) {
    return claims.excess(completed(most), "an instance of its pool has");
  }

  private static Claims completed(Claims most) {
    return new Claims(
        most.devices(),
        most.models(),
        most.deviceMemoryBytes() == 0 ? SANE.deviceMemoryBytes() : most.deviceMemoryBytes(),
        most.cpuMillis() == 0 ? SANE.cpuMillis() : most.cpuMillis(),
        most.memoryBytes() == 0 ? SANE.memoryBytes() : most.memoryBytes(),
        false);
  }
}
