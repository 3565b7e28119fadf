package io.headgate.agent.driver.rocm;

/// A call of ROCm SMI failed.
final class RocmException extends RuntimeException {
  static final int NOT_SUPPORTED = 2;
  static final int PERMISSION = 4;
  static final int BUSY = 16;

  private static final long serialVersionUID = 1;

  private final int code;

  /// @param words ROCm SMI's own for the code
  RocmException(String function, int code, String words) {
    super(function + ": " + words + " (" + code + ")");
    this.code = code;
  }

  int code() {
    return code;
  }
}
