package io.headgate.agent.driver.nvml;

/// The versions of the MPS control protocol.
public enum MpsProtocol {
  /// Lines on its standard input; its limits are those of all that it serves.
  V2,
  /// Since driver 615: arguments; servers and namespaces that have names, and limits of their own.
  V3;

  /// The first driver whose daemon speaks the third.
  static final int V3_DRIVER = 615;
}
