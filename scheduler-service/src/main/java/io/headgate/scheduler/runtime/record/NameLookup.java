package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;

/// What the database knows of names; blocks.
public interface NameLookup {
  /// Whether there is a job with this name; for many callers at once.
  boolean isTaken(JobName name);

  /// The last number that was given to a job named after the prefix.
  long lastNumber(TenantId tenant, String prefix);
}
