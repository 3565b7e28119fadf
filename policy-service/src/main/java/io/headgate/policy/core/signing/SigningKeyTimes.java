package io.headgate.policy.core.signing;

import java.time.Instant;

/// The creation time of a signing key, and the time from which it may sign.
public record SigningKeyTimes(String keyId, Instant createdAt, Instant activeFrom) {}
