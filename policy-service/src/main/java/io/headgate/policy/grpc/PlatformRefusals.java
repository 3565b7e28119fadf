package io.headgate.policy.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.policy.core.Denial;

/// Puts denials about the owner of shared pools into words, codes and numbers.
final class PlatformRefusals {
  private PlatformRefusals() {}

  static Refusal of(Denial.OfPlatform denial) {
    return switch (denial) {
      case Denial.TenantHasPart(var tenant) ->
          Refusal.failedPrecondition(
                  "TENANT_IN_USE",
                  "tenant '"
                      + tenant
                      + "' has a part of shared pools: take it out of the platform file first")
              .withMetadata("tenant", tenant);
      case Denial.TenantReserved(var field, var tenant) ->
          Refusal.invalidField(
              "TENANT_RESERVED",
              field,
              "'"
                  + tenant
                  + "' owns the pools that several tenants share: nobody makes or removes it");
      case Denial.PartsOfPlatformOnly(var field) ->
          Refusal.invalidField(
              "PLATFORM_ONLY",
              field,
              "only platform operators give tenants their parts of shared pools, in a file of kind"
                  + " Platform");
      case Denial.PlatformHasPartsOnly() ->
          Refusal.failedPrecondition(
              "PLATFORM_HAS_NO_RIGHTS",
              "tenant 'platform' owns the shared pools: it has no accounts, groups, policies,"
                  + " queues or vaults");
    };
  }
}
