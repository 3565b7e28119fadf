package io.headgate.policy.runtime.port;

import java.util.function.Supplier;

/// Identifies a request that its caller may repeat.
///
/// @param caller subject of the caller; the same id of another caller is another request
/// @param method full name of the RPC
/// @param id chosen by the caller
/// @param body bytes of the request without its id, equal for equal requests
public record RequestKey(String caller, String method, String id, Supplier<byte[]> body) {}
