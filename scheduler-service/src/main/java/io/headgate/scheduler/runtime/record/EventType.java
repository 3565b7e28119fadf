package io.headgate.scheduler.runtime.record;

/// The kinds of events, named as in the contract.
public enum EventType {
  SUBMITTED,
  ASSIGNED,
  STARTED,
  PREEMPTED,
  STOP_PHASE,
  SUSPENDED,
  RESUMED,
  REQUEUED,
  FINISHED,
  REASON_CHANGED,
  NODE_CONNECTED,
  NODE_CLOSING,
  NODE_SUSPECT,
  NODE_SET_ASIDE,
  NODE_LOST,
  DEVICE_CHANGED,
  STOPPING,
  QUEUED,
  BUDGET,
  UPDATED
}
