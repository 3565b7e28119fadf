package io.headgate.deploy;

/// Told how a start goes.
public interface Progress {
  /// A part begins to start.
  void begin(String part);

  /// It is ready.
  ///
  /// @param detail where, or what of it
  void ready(String part, String detail);
}
