package io.headgate.kit.failure;

/// Carries a {@link Refusal} out of a handler. Refusals are expected, so it has no stack trace.
public final class RefusalException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;

  public RefusalException(Refusal refusal) {
    super(refusal.reason() + ": " + refusal.message(), null, false, false);
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }
}
