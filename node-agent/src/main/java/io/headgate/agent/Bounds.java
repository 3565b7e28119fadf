package io.headgate.agent;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Durations;
import java.nio.file.Path;
import java.time.Duration;

/// Checks settings against their bounds. The error names the key, its value and the remedy.
final class Bounds {
  /// Shorter timeouts fail on a machine that is merely busy.
  static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

  private Bounds() {}

  static void atLeast(String key, Duration value, Duration least) {
    require(
        value.compareTo(least) >= 0,
        key,
        Durations.format(value),
        "is too short; at least " + Durations.format(least));
  }

  static void atLeast(String key, long value, long least) {
    require(value >= least, key, Long.toString(value), "is too few; at least " + least);
  }

  static void atLeast(String key, ByteSize value, ByteSize least) {
    require(
        value.bytes() >= least.bytes(), key, value.toString(), "is too small; at least " + least);
  }

  static void absolute(String key, Path value) {
    require(
        value.isAbsolute(), key, "'" + value + "'", "is not absolute; write the path from / on");
  }

  static void said(String key, String value, String remedy) {
    require(!value.isBlank(), key, "'" + value + "'", "is empty; " + remedy);
  }

  /// @param problem what is wrong, and what to do
  static void require(boolean holds, String key, String value, String problem) {
    if (!holds) {
      throw new IllegalArgumentException("%s: %s %s".formatted(key, value, problem));
    }
  }
}
