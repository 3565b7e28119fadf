package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.Lane;

/// One GPU of the running agent: what is known of it, and how it is spoken to.
///
/// @param lane on which slices of it are made and removed, one after the other: what two calls at
///   once do to one GPU is not worth finding out
/// @param watchLane on which it is asked who uses it, which must not wait for those
record Gpu(NvmlDevice facts, Nvml.Device handle, Lane lane, Lane watchLane) {
  void close() {
    lane.close();
    watchLane.close();
  }

  String words() {
    return "GPU %d (%s)".formatted(facts.index(), facts.uuid());
  }
}
