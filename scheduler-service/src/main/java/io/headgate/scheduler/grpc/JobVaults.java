package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.record.Document;
import java.util.Optional;

/// Holds what jobs are to run against the vaults of their groups.
public final class JobVaults {
  private JobVaults() {}

  /// Extracts the fields of a job that vaults restrict.
  public static VaultRules.Asked asked(Document document) {
    return asked(JobMapper.spec(document));
  }

  private static VaultRules.Asked asked(JobSpec spec) {
    return new VaultRules.Asked(
        spec.hasContainer() ? Optional.of(spec.getContainer().getImage()) : Optional.empty(),
        spec.getCommandList(),
        spec.getAbortCallback().getCommandList(),
        spec.getEnvironmentMap().keySet());
  }

  /// @param at path of the job in the request
  /// @throws CatalogRefusal when a vault does not let it run
  static void demand(String at, JobSpec spec, VaultRules vaults) {
    if (vaults.isEmpty()) {
      return;
    }
    vaults
        .violation(asked(spec))
        .ifPresent(violation -> {
          throw CatalogRefusal.byAccess(() ->
              Refusal.failedPrecondition(violation.code(), violation.message())
                  .withViolation(at + "spec." + violation.field(), violation.message())
                  .withMetadata("queue", spec.getQueue())
                  .withMetadata("vault", violation.vault()));
        });
  }
}
