package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;

/// Names a job as its users do: unique in the tenant for as long as the job is kept.
public record JobName(TenantId tenant, String id) {
  @Override
  public String toString() {
    return "tenants/" + tenant + "/jobs/" + id;
  }
}
