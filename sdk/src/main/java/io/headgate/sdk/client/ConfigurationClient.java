package io.headgate.sdk.client;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.wire.ConfigurationCalls;
import io.headgate.sdk.wire.ConfigurationCalls.InForce;
import io.headgate.sdk.wire.Connection;

/// The configuration of one tenant, as a whole.
public final class ConfigurationClient {
  private final ConfigurationCalls calls;

  ConfigurationClient(Connection connection, String tenant) {
    this.calls = new ConfigurationCalls(connection, tenant);
  }

  /// The configuration in force, with its versions.
  public ConfigurationState read() {
    return calls.read().state();
  }

  /// Prepares a change that both services check as a whole. Only [Plan#apply] stores anything.
  ///
  /// @throws HeadgateException when a service refuses the configuration
  public Plan plan(Configuration wanted) {
    InForce inForce = calls.read();
    ConfigurationDiff diff = ConfigurationDiff.between(inForce.state().configuration(), wanted);
    return Plan.make(calls, inForce, wanted, diff);
  }

  /// Plans and applies, and returns the versions in force afterwards.
  ///
  /// @throws HeadgateException as [Plan#apply] does
  public Versions apply(Configuration wanted) {
    return plan(wanted).apply();
  }
}
