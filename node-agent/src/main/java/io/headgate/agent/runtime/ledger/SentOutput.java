package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.process.AttemptLogs.Stream;

/// How much of an attempt's output a receiver of logs has taken, and what its records say of the
/// attempt. The record outlives the attempt's assignment, because output may be sent after the end.
///
/// @param queue of the job
/// @param traceparent of the attempt; may be empty
/// @param stdout bytes that need not be sent any more
/// @param stderr bytes that need not be sent any more
/// @param done nothing more follows
public record SentOutput(
    AttemptKey key, String queue, String traceparent, long stdout, long stderr, boolean done) {
  /// Nothing of it was sent.
  public static SentOutput none(Assignment assignment) {
    return new SentOutput(
        assignment.key(), assignment.queue(), assignment.traceparent(), 0, 0, false);
  }

  /// Bytes of the stream that need not be sent any more.
  public long of(Stream stream) {
    return stream == Stream.STDOUT ? stdout : stderr;
  }

  /// The stream need not be sent up to the offset.
  public SentOutput with(Stream stream, long offset) {
    return stream == Stream.STDOUT
        ? new SentOutput(key, queue, traceparent, offset, stderr, done)
        : new SentOutput(key, queue, traceparent, stdout, offset, done);
  }

  /// Nothing more follows.
  public SentOutput asDone() {
    return new SentOutput(key, queue, traceparent, stdout, stderr, true);
  }
}
