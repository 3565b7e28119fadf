package io.headgate.scheduler.runtime.submission;

/// A step cannot go on without blocking its thread, which must not block. It changed nothing.
public final class WouldBlockException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WouldBlockException() {
    super("this thread must not block", null, false, false);
  }
}
