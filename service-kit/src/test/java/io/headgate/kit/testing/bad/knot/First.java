package io.headgate.kit.testing.bad.knot;

import io.headgate.kit.testing.bad.knot.inner.Third;

/// Depends on [Second], which depends on [Third], which depends on this.
public record First(Second next) {
  /// Nested classes belong to the file.
  public record Nested(Third third) {}
}
