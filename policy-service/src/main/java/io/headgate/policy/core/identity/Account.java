package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.TenantId;
import java.time.Instant;

/// A user or a service account of a tenant.
///
/// @param <I> its id
public interface Account<I> {
  TenantId tenant();

  I id();

  Instant createdAt();
}
