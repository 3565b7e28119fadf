package io.headgate.kit.auth;

/// Receives the calls that are refused because of their caller's role. It runs on the call's thread
/// before the refusal is sent. It must bound its work, because a caller may repeat such calls at
/// any rate, and it must not throw.
@FunctionalInterface
public interface DeniedCallListener {
  /// Called for each refused call.
  ///
  /// @param method full name of the RPC
  void denied(Principal caller, String method);

  /// Hears nothing.
  static DeniedCallListener none() {
    return (caller, method) -> {};
  }
}
