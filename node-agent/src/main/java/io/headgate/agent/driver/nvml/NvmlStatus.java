package io.headgate.agent.driver.nvml;

/// The return codes of NVML that the agent distinguishes.
enum NvmlStatus {
  SUCCESS(0),
  UNINITIALIZED(1),
  INVALID_ARGUMENT(2),
  NOT_SUPPORTED(3),
  NO_PERMISSION(4),
  NOT_FOUND(6),
  INSUFFICIENT_SIZE(7),
  DRIVER_NOT_LOADED(9),
  TIMEOUT(10),
  FUNCTION_NOT_FOUND(13),
  GPU_IS_LOST(15),
  RESET_REQUIRED(16),
  OPERATING_SYSTEM(17),
  LIB_RM_VERSION_MISMATCH(18),
  IN_USE(19),
  INSUFFICIENT_RESOURCES(23),
  ARGUMENT_VERSION_MISMATCH(25),
  GPU_NOT_FOUND(28),
  /// Any other.
  OTHER(-1);

  private final int code;

  NvmlStatus(int code) {
    this.code = code;
  }

  static NvmlStatus of(int code) {
    for (NvmlStatus status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    return OTHER;
  }
}
