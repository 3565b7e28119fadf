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

  /// What is in force, with its versions.
  public ConfigurationState read() {
    return calls.read().state();
  }

  /// Prepares a change and has both services check the whole of it; nothing is stored before
  /// [Plan#apply].
  ///
  /// @throws HeadgateException when a service refuses the configuration
  public Plan plan(Configuration wanted) {
    InForce inForce = calls.read();
    ConfigurationDiff diff = ConfigurationDiff.between(inForce.state().configuration(), wanted);
    return Plan.make(calls, inForce, wanted, diff);
  }

  /// Plans and applies; answers with the versions then in force.
  ///
  /// @throws HeadgateException as [Plan#apply] does; [Plan#PARTLY_APPLIED] is the one to know of
  public Versions apply(Configuration wanted) {
    return plan(wanted).apply();
  }
}
