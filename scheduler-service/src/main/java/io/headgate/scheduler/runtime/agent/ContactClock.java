package io.headgate.scheduler.runtime.agent;

/// When a node was last heard and last answered, by this process's monotonic clock. Written by the
/// stream, read by the loop.
public final class ContactClock {
  private volatile long heardNanos;
  private volatile long answeredNanos;

  /// Starts counting.
  ///
  /// @param nanos now; an unheard node counts from the leader's take-over
  public ContactClock(long nanos) {
    heardNanos = nanos;
    answeredNanos = nanos;
  }

  public void heard(long nanos) {
    heardNanos = nanos;
  }

  /// An answer was sent that lets the node's supervisors run on: none of them ends for lack of
  /// contact before this time plus its `stopAfter`.
  public void answered(long nanos) {
    answeredNanos = nanos;
  }

  public long heardNanos() {
    return heardNanos;
  }

  public long answeredNanos() {
    return answeredNanos;
  }
}
