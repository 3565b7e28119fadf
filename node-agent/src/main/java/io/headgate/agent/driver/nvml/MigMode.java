package io.headgate.agent.driver.nvml;

import java.util.Optional;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns MIG on, on unused GPUs. It never turns MIG off.
///
/// It runs at every start of an agent and keeps no record: the driver knows a GPU's mode in force.
record MigMode(Nvml nvml, NvmlSteps steps) {
  private static final Logger LOG = LoggerFactory.getLogger(MigMode.class);

  /// The first whose mode changes without a reset.
  private static final int HOPPER = 9;

  /// The result for a GPU whose MIG is off.
  sealed interface Outcome {
    /// MIG is on now, and earlier readings of the GPU no longer hold.
    record TurnedOn() implements Outcome {}

    /// It is none whose mode is changed here.
    ///
    /// @param why one clause
    record LeftAlone(String why) implements Outcome {}

    /// MIG should be on, but a process uses the GPU, or the driver refuses or does not tell.
    ///
    /// @param why one clause
    record Refused(String why) implements Outcome {}
  }

  /// The obstacle to turning MIG on; empty: none. Changes nothing.
  Optional<Outcome> obstacle(Nvml.Device device) {
    Optional<String> unfit = unfit(device);
    if (unfit.isPresent()) {
      return Optional.of(new Outcome.LeftAlone(unfit.get()));
    }
    SortedMap<Integer, Long> users = nvml.processLists().memoryByProcess(device.pointer());
    return users.isEmpty()
        ? Optional.empty()
        : Optional.of(new Outcome.Refused("it is used by the processes " + users.keySet()));
  }

  /// Turns MIG on, on a GPU with no obstacle.
  Outcome turnOn(Nvml.Device device) {
    try {
      nvml.turnMigOn(device);
    } catch (NvmlException e) {
      return new Outcome.Refused(e.getMessage() + takenBack(device));
    }
    steps.reached(NvmlSteps.Step.MIG_TURNED_ON);
    return new Outcome.TurnedOn();
  }

  private Optional<String> unfit(Nvml.Device device) {
    Optional<Nvml.MigState> state = nvml.migMode(device);
    if (state.isEmpty()) {
      return Optional.of("it has none");
    }
    if (state.get().isPending()) {
      return Optional.of("it was turned on by another program and takes effect at the next reset");
    }
    if (nvml.computeCapability(device) < HOPPER) {
      return Optional.of("it takes a reset of the GPU, which only an operator does");
    }
    return nvml.isOfVirtualGpus(device)
        ? Optional.of("the GPU serves virtual GPUs")
        : Optional.empty();
  }

  /// A pending mode would take effect at the next reset, by surprise.
  private String takenBack(Nvml.Device device) {
    try {
      if (nvml.migMode(device).filter(Nvml.MigState::isPending).isPresent()) {
        nvml.keepMigOff(device);
      }
      return "";
    } catch (NvmlException e) {
      LOG.warn("a failed change of the MIG mode could not be undone: {}", e.getMessage());
      return "; MIG may be on after the next reset";
    }
  }
}
