package io.headgate.scheduler.runtime.record;

/// What happened, in the words of the contract.
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
  QUEUED
}
