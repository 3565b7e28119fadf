package io.headgate.scheduler.runtime;

import java.time.Duration;

/// Says when it is worth trying to take the row of leadership. Only a hint: the row itself decides,
/// so a wrong hint costs a statement and nothing else.
public interface Election extends AutoCloseable {

  /// Waits until this replica should try.
  ///
  /// @param leaseLeft of the leader that the row names; zero: none
  Turn await(Duration leaseLeft) throws InterruptedException;

  /// A time to try.
  ///
  /// @param holderLost the holder is known to be gone, so that one missed renewal is enough
  record Turn(boolean holderLost) {}

  @Override
  void close();
}
