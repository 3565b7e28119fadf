package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;

/// Looks up names in the database; blocks.
public interface NameLookup {
  /// Whether there is a job with this name; for many callers at once.
  boolean isTaken(JobName name);

  /// The last number that was given to a job named after the prefix.
  long lastNumber(TenantId tenant, String prefix);
}
