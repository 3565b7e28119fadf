package io.headgate.agent.core;

/// That an attempt is to be stopped.
///
/// @param suspension to be suspended instead, if that can be; tells this order from others for the
///   attempt. 0: it is only to be stopped
public record StopOrder(Kind kind, boolean skipCallback, long suspension) {
  /// That it is only to be stopped.
  public StopOrder(Kind kind, boolean skipCallback) {
    this(kind, skipCallback, 0);
  }

  /// The same, now that it is not to be suspended.
  public StopOrder withoutSuspension() {
    return new StopOrder(kind, skipCallback);
  }

  /// This one after an earlier one: a callback that was to be skipped stays so, and what is being
  /// stopped is not suspended any more.
  public StopOrder after(StopOrder earlier) {
    return new StopOrder(
        kind, skipCallback || earlier.skipCallback, earlier.suspension == 0 ? 0 : suspension);
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
