package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;

/// A job that a node rejected: evidence against the node, or against the job.
public record Rejection(TenantId tenant, UserId user, JobId job) {}
