package io.headgate.scheduler.runtime.submission;

/// Whether the thread of a caller may block. A submission begins on the event loop that read it,
/// because most submissions wait for the leader alone. A step that must wait for something else
/// ends there with [WouldBlockException], and is repeated on a thread that may block.
public enum CallerThread {
  /// It must not block.
  EVENT_LOOP,
  MAY_BLOCK;

  /// Called before each wait. The caller must not have changed anything that a repetition would
  /// change again.
  ///
  /// @throws WouldBlockException this thread must not block
  public void demandMayBlock() {
    if (this == EVENT_LOOP) {
      throw new WouldBlockException();
    }
  }
}
