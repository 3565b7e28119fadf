package io.headgate.sdk.model;

import java.time.Instant;

/// A join token without its secret.
///
/// @param name `tenants/acme/joinTokens/…`
/// @param uses machines that could join when it was made
/// @param usesLeft machines that can still join
public record JoinToken(
    String name, String pool, int uses, int usesLeft, Instant createTime, Instant expireTime) {}
