package io.headgate.kit.watch;

import java.util.List;

/// One watcher's view of a versioned resource. Every commit that changes it increases the version,
/// and versions must become visible in order. Take them from a row that each writing transaction
/// updates last, never from a sequence, whose numbers commit in any order.
///
/// Each watcher has its own source, which may hold the watcher's filter and its place in a step
/// with several parts; one thread calls it.
///
/// @param <M> the messages of the stream
public interface WatchSource<M> {
  /// The step from `version` to the committed state, or its next part. Version and content come
  /// from one snapshot of the database, so that the watcher's state after the step is the state at
  /// the step's version. Each item occurs once with its present state, however many changes it had;
  /// a watcher that lags has little to read.
  ///
  /// The answer is a full snapshot if the version is 0, too old, or yet to come (the database was
  /// restored from a backup).
  ///
  /// A large step comes in parts, so that no watcher keeps it in memory. The next part is read when
  /// the client has accepted the one before. Between two parts the source keeps a cursor only. An
  /// item that changes between parts may come as it is then, if the step after this one brings it
  /// again.
  ///
  /// Blocks while it reads. An exception ends the watch with its status.
  Step<M> read(long version);

  /// A message without changes that shows the stream is alive at `version`.
  M alive(long version);

  /// One step or one part of it.
  ///
  /// @param version from which the client resumes after the last message; at least the requested
  ///   one, unless the messages are a snapshot
  /// @param messages in order; none if the watcher sees no change
  /// @param more whether further parts follow at once
  record Step<M>(long version, List<M> messages, boolean more) {
    public Step {
      messages = List.copyOf(messages);
    }

    /// A whole step or the last part of one.
    public Step(long version, List<M> messages) {
      this(version, messages, false);
    }
  }
}
