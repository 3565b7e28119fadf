package io.headgate.policy.core.signing;

import java.time.Instant;

/// When a signing key was made and from when on it may sign.
public record SigningKeyTimes(String keyId, Instant createdAt, Instant activeFrom) {}
