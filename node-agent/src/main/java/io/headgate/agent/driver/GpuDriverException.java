package io.headgate.agent.driver;

/// A device or its driver refuses something.
public final class GpuDriverException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public GpuDriverException(String message) {
    super(message);
  }
}
