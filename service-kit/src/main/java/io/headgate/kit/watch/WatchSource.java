package io.headgate.kit.watch;

import java.util.List;

/// What one watcher sees of something that has versions. Every commit that changes it makes the
/// version greater by at least one, and versions become visible in their order (take them from a
/// row that each writing transaction updates last, never from a sequence, whose numbers commit in
/// any order).
///
/// Each watcher has its own source, which may keep the watcher's filter; one thread calls it.
///
/// @param <M> the messages of the stream
public interface WatchSource<M> {
  /// What a watcher that has seen `version` has to be told to know what is committed now. Reads the
  /// version and everything that is told in one snapshot of the database, so that the watcher's
  /// picture after the step is what was true at the step's version. However many changes there were
  /// in between, each thing is told once, as it is now: so a watcher that lags has little to read.
  ///
  /// A version of 0, one so old that its changes are no longer known, and one that is yet to come
  /// (of a database that was restored from a backup) are answered with everything there is.
  ///
  /// Blocks while it reads. Exceptions end the watch with what they mean to a caller.
  Step<M> read(long version);

  /// A message that changes nothing and says that the stream is alive at `version`.
  M alive(long version);

  /// What follows next.
  ///
  /// @param version that the watcher has seen after the last message; at least the one asked for,
  ///   unless the messages are a snapshot
  /// @param messages in their order; none if nothing changed that the watcher sees
  record Step<M>(long version, List<M> messages) {
    public Step {
      messages = List.copyOf(messages);
    }
  }
}
