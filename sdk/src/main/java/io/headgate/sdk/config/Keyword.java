package io.headgate.sdk.config;

/// An enumeration whose constants have a spelling in files: `driver-container`, not
/// `DRIVER_CONTAINER`.
public interface Keyword {
  /// The constant's name, as Java knows it.
  String name();

  /// The spelling in files: lower case with hyphens.
  default String keyword() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }
}
