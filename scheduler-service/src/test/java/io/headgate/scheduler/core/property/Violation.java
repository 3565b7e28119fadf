package io.headgate.scheduler.core.property;

/// A property does not hold.
final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;
  private final String property;

  private Violation(String property, String text) {
    super(text);
    this.property = property;
  }

  /// The violated property, without the details of this case.
  String property() {
    return property;
  }

  static void require(boolean holds, String property, Object... details) {
    if (!holds) {
      StringBuilder text = new StringBuilder("violated: ").append(property);
      for (Object detail : details) {
        text.append("\n  ").append(detail);
      }
      throw new Violation(property, text.toString());
    }
  }
}
