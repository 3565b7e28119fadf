package io.headgate.sdk.model;

import java.time.Instant;

/// A join token without its secret.
///
/// @param name `tenants/acme/joinTokens/…`
/// @param uses how many machines could join with it when it was made
/// @param usesLeft how many still can
public record JoinToken(
    String name, String pool, int uses, int usesLeft, Instant createTime, Instant expireTime) {}
