package io.headgate.deploy;

/// Learns how a start proceeds.
public interface Progress {
  /// A part begins to start.
  void begin(String part);

  /// The part is ready.
  ///
  /// @param detail its address, or another detail of it
  void ready(String part, String detail);
}
