package io.headgate.agent.driver.nvml;

/// One GPU of the running agent: what is known of it, and how it is spoken to.
///
/// @param lane on which slices of it are made and removed, one after the other: what two calls at
///   once do to one GPU is not worth finding out
record Gpu(NvmlDevice facts, Nvml.Device handle, Lane lane) {
  String words() {
    return "GPU %d (%s)".formatted(facts.index(), facts.uuid());
  }
}
