package io.headgate.agent.driver.nvml;

/// What of MIG an agent changes, beside the instances that it makes for jobs.
///
/// @param turnsOn whether MIG is turned on at the start, on GPUs that nobody uses
/// @param removesStrangers whether instances that nobody here made are removed at the start, if
///   they are idle
public record MigSettings(boolean turnsOn, boolean removesStrangers) {
  /// For an agent that changes nothing.
  public static final MigSettings KEEP = new MigSettings(false, false);
}
