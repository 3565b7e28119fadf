package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.UserId;

/// A user as a request describes it.
public record UserSpec(UserId id, String displayName, boolean isAdmin) {}
