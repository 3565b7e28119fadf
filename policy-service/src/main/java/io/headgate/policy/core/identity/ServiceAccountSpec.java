package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.ServiceAccountId;

/// A service account as a request describes it.
public record ServiceAccountSpec(ServiceAccountId id, String displayName) {}
