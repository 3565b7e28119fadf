package io.headgate.policy.runtime;

/// Rolls back an attempt that needs the supply for its decision. It never leaves this package.
final class SupplyNeededException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SupplyNeededException() {
    super("the supply is needed", null, false, false);
  }
}
