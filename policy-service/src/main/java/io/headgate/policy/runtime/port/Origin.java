package io.headgate.policy.runtime.port;

import io.headgate.kit.config.Secret;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.key.KeyId;
import java.util.Optional;

/// The origin of a request.
///
/// @param caller absent for anonymous calls
/// @param address of the client
/// @param requestId as returned to the client
/// @param token the caller's own, for calls to other services on its behalf
/// @param key the key that the token was made from; absent: the token does not say
public record Origin(
    Optional<Caller> caller,
    String address,
    String requestId,
    Optional<Secret> token,
    Optional<KeyId> key) {
  /// The operator on this machine: start-up and commands.
  public static final Origin LOCAL =
      new Origin(Optional.of(Caller.LOCAL), "local", "", Optional.empty(), Optional.empty());

  /// The caller of a method that needs a token.
  public Caller required() {
    return caller.orElseThrow(() -> new IllegalStateException("the call is anonymous"));
  }
}
