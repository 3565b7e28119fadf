package io.headgate.policy.runtime;

import java.util.Optional;
import java.util.function.Function;

/// How a change is answered, and how the answer is remembered if the request may be repeated.
///
/// @param request absent: each repetition is a new request
/// @param answer what the caller is told of what was made
public record Once<T, R>(
    Optional<RequestKey> request,
    Function<T, R> answer,
    Function<R, byte[]> toBytes,
    Function<byte[], R> fromBytes) {

  /// Tells one request from another.
  ///
  /// @param body the request without its id
  public record RequestKey(String caller, String method, String id, Body body) {}

  /// The bytes of a request.
  public interface Body {
    byte[] bytes();
  }
}
