package io.headgate.agent.driver.nvml;

/// There is no NVML to use on this machine, in one sentence; most often because it has no NVIDIA
/// GPU.
public final class NvmlUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean absent;

  /// @param absent there is no NVIDIA driver at all, rather than one that does not work
  NvmlUnavailableException(String message, boolean absent) {
    super(message);
    this.absent = absent;
  }

  /// Whether this is a machine without NVIDIA's driver, as most are.
  public boolean isAbsent() {
    return absent;
  }
}
