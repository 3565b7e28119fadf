package io.headgate.agent.core;

/// Where an attempt stands on this machine.
public enum AttemptState {
  /// Recorded; the program does not run yet.
  STARTING,
  /// The program runs.
  RUNNING,
  /// A stop is under way.
  STOPPING,
  /// It stands still in main memory, and its slices are free.
  SUSPENDED,
  /// Nothing of the job lives; its slices are being freed.
  RELEASING,
  /// Nothing of it is left and its slices are free. Final.
  ENDED
}
