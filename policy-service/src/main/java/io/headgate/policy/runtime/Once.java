package io.headgate.policy.runtime;

import io.headgate.policy.runtime.port.RequestKey;
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
    Function<byte[], R> fromBytes) {}
