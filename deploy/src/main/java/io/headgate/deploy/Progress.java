package io.headgate.deploy;

/// Told how a start goes.
public interface Progress {
  /// A part begins to start.
  void begin(String part);

  /// It is ready.
  ///
  /// @param detail where, or what of it
  void ready(String part, String detail);

  /// Tells nobody.
  static Progress silent() {
    return new Progress() {
      @Override
      public void begin(String part) {}

      @Override
      public void ready(String part, String detail) {}
    };
  }
}
