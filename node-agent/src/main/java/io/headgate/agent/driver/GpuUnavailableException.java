package io.headgate.agent.driver;

/// A vendor's GPUs cannot be used on this machine, in one sentence; most often because there are
/// none.
public final class GpuUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean absent;

  /// @param absent there is no driver of the vendor at all, rather than one that does not work
  public GpuUnavailableException(String message, boolean absent) {
    super(message);
    this.absent = absent;
  }

  /// Whether this is a machine without the vendor's driver, as most are.
  public boolean isAbsent() {
    return absent;
  }
}
