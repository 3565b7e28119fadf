package io.headgate.scheduler.core.job;

/// How an attempt ended.
public sealed interface AttemptEnding {
  /// The program ended by itself.
  ///
  /// @param exitCode of the first worker that failed; 0 when none did
  record Exited(int exitCode) implements AttemptEnding {}

  /// Stopped by its agents, on request or of their own accord (a machine that shuts down).
  record Stopped() implements AttemptEnding {}

  /// An agent refused it.
  record Rejected(String reason) implements AttemptEnding {}

  /// With a node, and there is proof that it no longer runs.
  record Lost() implements AttemptEnding {}
}
