package io.headgate.policy.runtime;

/// Rolls back an attempt that cannot be decided without the supply. Never leaves this package.
final class SupplyNeededException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SupplyNeededException() {
    super("the supply is needed", null, false, false);
  }
}
