package io.headgate.kit.watch;

import java.util.List;

/// One watcher's view of a versioned resource. Every commit that changes it increases the version,
/// and versions must become visible in order. Take them from a row that each writing transaction
/// updates last, never from a sequence, whose numbers commit in any order.
///
/// Each watcher has its own source, which may hold the watcher's filter; one thread calls it.
///
/// @param <M> the messages of the stream
public interface WatchSource<M> {
  /// The step from `version` to the committed state. Version and content come from one snapshot of
  /// the database, so that the watcher's state after the step is the state at the step's version.
  /// Each item occurs once with its present state, however many changes it had; a watcher that lags
  /// has little to read.
  ///
  /// The answer is a full snapshot if the version is 0, too old, or yet to come (the database was
  /// restored from a backup).
  ///
  /// Blocks while it reads. An exception ends the watch with its status.
  Step<M> read(long version);

  /// A message without changes that shows the stream is alive at `version`.
  M alive(long version);

  /// One step.
  ///
  /// @param version of the watcher after the last message; at least the requested one, unless the
  ///   messages are a snapshot
  /// @param messages in order; none if the watcher sees no change
  record Step<M>(long version, List<M> messages) {
    public Step {
      messages = List.copyOf(messages);
    }
  }
}
