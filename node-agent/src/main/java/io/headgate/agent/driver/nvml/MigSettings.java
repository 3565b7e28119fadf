package io.headgate.agent.driver.nvml;

/// MIG changes that an agent may make beside instances for jobs.
///
/// @param turnsOn whether MIG is turned on at the start, on unused GPUs
/// @param removesStrangers whether idle instances without a record are removed at the start
public record MigSettings(boolean turnsOn, boolean removesStrangers) {
  /// The settings of an agent that changes nothing.
  public static final MigSettings KEEP = new MigSettings(false, false);
}
