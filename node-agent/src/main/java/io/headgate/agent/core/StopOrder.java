package io.headgate.agent.core;

import java.time.Duration;

/// An order to stop or to suspend an attempt.
///
/// @param suspension nonzero: to suspend it if possible; distinguishes this order from others for
///   the attempt. 0: to stop it
public record StopOrder(Kind kind, boolean skipCallback, long suspension) {
  /// An order to stop without a suspension.
  public StopOrder(Kind kind, boolean skipCallback) {
    this(kind, skipCallback, 0);
  }

  /// Returns the order without its suspension.
  public StopOrder withoutSuspension() {
    return new StopOrder(kind, skipCallback);
  }

  /// Joins this order with an earlier one: a skipped callback stays skipped, and an attempt that is
  /// being stopped can no longer be suspended.
  public StopOrder after(StopOrder earlier) {
    return new StopOrder(
        kind, skipCallback || earlier.skipCallback, earlier.suspension == 0 ? 0 : suspension);
  }

  /// The times that a stopped attempt has.
  ///
  /// @param callback for its callback, which it may make while it runs
  /// @param grace between SIGTERM and SIGKILL
  public record Leave(Duration callback, Duration grace) {}

  /// The times that this order leaves an attempt. An attempt that uses more than its slices, and so
  /// takes from its neighbours, gets less than it was promised.
  ///
  /// @param overLimit the time of a job that uses more than its slices
  public Leave leave(Assignment assignment, Duration overLimit) {
    if (kind == Kind.OVER_LIMIT) {
      return new Leave(overLimit.dividedBy(2), overLimit.dividedBy(2));
    }
    return new Leave(
        skipCallback ? Duration.ZERO : assignment.abortCallback().timeout(), assignment.grace());
  }

  /// After how long it is killed that could not be told to stop.
  ///
  /// @param overLimit as for [#leave]
  public Duration patience(Assignment assignment, Duration overLimit) {
    Leave leave = leave(assignment, overLimit);
    boolean calls = kind == Kind.OVER_LIMIT || !assignment.abortCallback().command().isEmpty();
    return calls ? leave.callback().plus(leave.grace()) : leave.grace();
  }

  /// Why.
  public enum Kind {
    /// Another job needs the place.
    PREEMPT("preempted"),
    /// A user asked for it.
    CANCEL("cancelled"),
    /// The scheduler does not know it.
    ORPHAN("orphaned"),
    /// This machine's agent is closed down in order.
    SHUTDOWN("shutdown"),
    /// It has more than its slices.
    OVER_LIMIT("over-limit"),
    /// A device that it has slices of failed.
    DEVICE_FAILED("device-failed");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /// Its supervisor's word for it.
    public String word() {
      return word;
    }
  }
}
