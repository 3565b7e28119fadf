package io.headgate.kit.config;

import java.util.Objects;

/// A value that never appears in logs, messages, traces or JSON. Call {@link #reveal()} only at the
/// point of use.
public final class Secret {
  private final String value;

  private Secret(String value) {
    this.value = Objects.requireNonNull(value);
  }

  public static Secret of(String value) {
    return new Secret(value);
  }

  /// The value itself, for the call that needs it; neither store nor print it.
  public String reveal() {
    return value;
  }

  /// Equality is by value, so that records with secrets compare like other records.
  @Override
  public boolean equals(Object other) {
    return other instanceof Secret that && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return "Secret[hidden]";
  }
}
