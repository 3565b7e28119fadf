package io.headgate.agent.driver.nvml;

/// A call of NVML failed.
final class NvmlException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final NvmlStatus status;

  /// @param words NVML's own for the code
  NvmlException(String function, int code, String words) {
    super(function + ": " + words + " (" + code + ")");
    this.status = NvmlStatus.of(code);
  }

  NvmlStatus status() {
    return status;
  }
}
