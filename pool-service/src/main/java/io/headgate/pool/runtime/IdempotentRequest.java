package io.headgate.pool.runtime;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Identifies a request that may be repeated, and encodes its answer.
///
/// @param method full name of the RPC
/// @param id chosen by the caller; absent: the request is not idempotent
/// @param body bytes of the request without the id, equal for equal requests
/// @param answer encodes the answer
public record IdempotentRequest<T>(
    String method, Optional<String> id, Supplier<byte[]> body, Function<T, byte[]> answer) {}
