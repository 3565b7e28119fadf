package io.headgate.kit.config;

import java.util.Objects;

/// A value that must not be seen: it never appears in logs, messages, traces or JSON. Call {@link
/// #reveal()} only where the value is used.
public final class Secret {
  private final String value;

  private Secret(String value) {
    this.value = Objects.requireNonNull(value);
  }

  public static Secret of(String value) {
    return new Secret(value);
  }

  /// The value itself, for the call that needs it; do not keep or print it.
  public String reveal() {
    return value;
  }

  /// Equal by value, so that records holding secrets compare as records do.
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
