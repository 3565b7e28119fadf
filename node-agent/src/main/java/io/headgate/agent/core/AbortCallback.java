package io.headgate.agent.core;

import java.time.Duration;
import java.util.List;

/// A command that runs in the job's own environment before the job is stopped.
///
/// @param command program and arguments; empty: there is none
/// @param timeout at most [#MAX_TIMEOUT]
public record AbortCallback(List<String> command, Duration timeout) {
  /// The cap of the design; a longer wish is cut to it.
  public static final Duration MAX_TIMEOUT = Duration.ofMinutes(30);

  public static final AbortCallback NONE = new AbortCallback(List.of(), Duration.ZERO);

  public AbortCallback {
    command = List.copyOf(command);
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("negative callback timeout " + timeout);
    }
    timeout = timeout.compareTo(MAX_TIMEOUT) > 0 ? MAX_TIMEOUT : timeout;
  }
}
