package io.headgate.pool.runtime;

/// The caller of an RPC.
///
/// @param subject of the caller's token
/// @param call id of the RPC, as in logs and answers
public record Caller(String subject, String call) {}
