package io.headgate.kit.auth;

/// Hears of calls that were refused because their caller's role may not make them. Runs on the
/// call's thread before the refusal is sent, and must bound what it does: a caller may repeat such
/// calls as fast as it can. What it throws is not the caller's business and must be caught.
@FunctionalInterface
public interface DeniedCallListener {
  /// The call was refused.
  ///
  /// @param method full name of the RPC
  void denied(Principal caller, String method);

  /// Hears nothing.
  static DeniedCallListener none() {
    return (caller, method) -> {};
  }
}
