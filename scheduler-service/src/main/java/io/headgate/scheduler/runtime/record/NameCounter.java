package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;

/// The last number that was given to a job named after a prefix.
public record NameCounter(TenantId tenant, String prefix, long last) {}
