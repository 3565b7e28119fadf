package io.headgate.agent.core;

/// How an attempt ended.
public enum EndReason {
  /// The program ended by itself.
  EXITED,
  /// Stopped on the scheduler's command.
  STOPPED,
  /// Stopped at its time limit.
  TIME_LIMIT,
  /// Stopped by its supervisor, because the control plane was out of contact too long.
  OUT_OF_CONTACT,
  /// The program could not be started.
  START_FAILED,
  /// The command could not be obeyed.
  REJECTED,
  /// It was running before a reboot, or vanished without a trace.
  LOST,
  /// Stopped because it had more than its slices.
  LIMIT_EXCEEDED,
  /// Stopped, or ended by itself, because a device that it had slices of failed.
  DEVICE_FAILED,
  /// Stopped in order because the machine or its agent was shut down.
  NODE_STOPPED;

  /// The reason behind a supervisor's word.
  static EndReason ofSupervisor(String word) {
    return switch (word) {
      case "exited" -> EXITED;
      case "time-limit" -> TIME_LIMIT;
      case "stop-after" -> OUT_OF_CONTACT;
      case "start-failed" -> START_FAILED;
      case "shutdown" -> NODE_STOPPED;
      case "over-limit" -> LIMIT_EXCEEDED;
      case "device-failed" -> DEVICE_FAILED;
      default -> STOPPED;
    };
  }
}
