package io.headgate.pool.runtime;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// How a request that may be repeated is told from others, and how its answer is written down.
///
/// @param method full name of the RPC
/// @param id chosen by the caller; absent: the request is not repeated
/// @param body the request's bytes without the id, the same for the same request
/// @param answer the bytes of what is answered
public record Once<T>(
    String method, Optional<String> id, Supplier<byte[]> body, Function<T, byte[]> answer) {}
