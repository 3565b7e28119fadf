package io.headgate.policy.runtime;

import io.headgate.policy.runtime.port.RequestKey;
import java.util.Optional;
import java.util.function.Function;

/// The idempotent execution of a change: its answer, and the answer's stored form.
///
/// @param request absent: each repetition is a new request
/// @param answer makes the answer from the result
public record IdempotentRequest<T, R>(
    Optional<RequestKey> request,
    Function<T, R> answer,
    Function<R, byte[]> toBytes,
    Function<byte[], R> fromBytes) {}
