package io.headgate.sdk.model;

import io.headgate.sdk.config.Configuration;

/// A tenant's configuration as the server has it. Supply and rights are versioned apart, because
/// they belong to two services.
public record ConfigurationState(Configuration configuration, Versions versions) {
  /// The two versions that a plan is made for.
  ///
  /// @param resources of pools and profiles; 0: never provisioned
  /// @param access of groups, policies and queues; 0: never set
  public record Versions(long resources, long access) {
    @Override
    public String toString() {
      return resources + "." + access;
    }
  }
}
