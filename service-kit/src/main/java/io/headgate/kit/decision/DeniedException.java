package io.headgate.kit.decision;

import java.util.List;

/// Carries denials out of a transaction and thereby rolls it back. Denials are expected, so the
/// exception has no stack trace.
public final class DeniedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Object> denials;

  public DeniedException(Object denial) {
    this(List.of(denial));
  }

  public DeniedException(List<?> denials) {
    super(denials.toString(), null, false, false);
    this.denials = List.copyOf(denials);
  }

  /// The denials.
  ///
  /// @param type the service's type of reason
  /// @throws ClassCastException if another type of reason was thrown
  public <D> List<D> denials(Class<D> type) {
    return denials.stream().map(type::cast).toList();
  }

  /// The accepted value.
  ///
  /// @throws DeniedException if the outcome is a denial
  public static <T> T require(Outcome<T, ?> outcome) {
    return switch (outcome) {
      case Outcome.Accepted<T, ?>(var value) -> value;
      case Outcome.Denied<T, ?>(var denials) -> throw new DeniedException(denials);
    };
  }
}
