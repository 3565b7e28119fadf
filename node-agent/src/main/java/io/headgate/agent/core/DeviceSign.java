package io.headgate.agent.core;

/// Something that was seen of a device and says how well it works.
public sealed interface DeviceSign {
  /// The machine has lost the device: it fell off its bus, or its driver has given it up.
  ///
  /// @param how one clause
  record Gone(String how) implements DeviceSign {}

  /// It does not answer, or nothing that can be understood.
  ///
  /// @param how one clause
  record Silent(String how) implements DeviceSign {}

  /// NVIDIA's driver reported an error by its number.
  record Xid(int number) implements DeviceSign {}

  /// The driver itself demands an action before the device is whole again.
  record RecoveryDue(Recovery recovery) implements DeviceSign {}

  /// A driver's request.
  enum Recovery {
    /// A reset; running jobs cannot continue.
    RESET,
    /// A restart of the machine; running jobs cannot continue.
    RESTART,
    /// A reset when it is convenient: part of the device is missing, and running jobs can continue.
    DRAIN_AND_RESET,
    /// Traffic between GPUs has to end, before it can be said what more.
    DRAIN_LINKS
  }

  /// Rows of memory are replaced by spare ones at the next reset.
  record RowsPending() implements DeviceSign {}

  /// No spare rows are left for one that is bad.
  record RowsExhausted() implements DeviceSign {}

  /// Pages of memory are taken out of use at the next start of the driver.
  record PagesPending() implements DeviceSign {}

  /// Pages of memory that are bad could not be taken out of use.
  ///
  /// @param pages how many, from 1
  record PagesStuck(int pages) implements DeviceSign {}

  /// Errors of memory that could not be corrected, since the device or its driver started.
  ///
  /// @param errors how many, from 1
  record Uncorrected(long errors) implements DeviceSign {}

  /// It runs slower than it could, to protect itself, and has for a while.
  ///
  /// @param why one clause
  record Throttled(String why) implements DeviceSign {}

  /// The device should be divided, but is not.
  ///
  /// @param why one clause
  record Undivided(String why) implements DeviceSign {}

  /// A slice of it could not be removed, and keeps its place until it can.
  ///
  /// @param problem one sentence
  record SliceStuck(String problem) implements DeviceSign {}

  /// MPS no longer limits a slice of it, until the slice's job ends.
  ///
  /// @param slice its name
  /// @param memory whether it held its memory too, which only the watch does now; else only its
  ///   processors were its part
  record SliceUnguarded(String slice, boolean memory) implements DeviceSign {}

  /// The last slices of the device were refused, one after the other.
  ///
  /// @param times how often, from 1
  /// @param problem the last one, in one sentence
  record SlicesRefused(int times, String problem) implements DeviceSign {}
}
