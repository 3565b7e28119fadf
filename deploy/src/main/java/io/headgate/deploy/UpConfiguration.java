package io.headgate.deploy;

import io.headgate.deploy.demo.Demo;
import io.headgate.sdk.cli.command.configuration.ConfigurationChange;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.ConfigurationClient;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.ConfigurationState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The configuration with which `up` begins to serve. A new tenant gets the file, the demo's
/// configuration or that of a new installation at once. Where a configuration is in force already,
/// a file takes effect only through the gate of `headgate apply`.
final class UpConfiguration {
  private static final String DEFAULT_TENANT = "default";

  private final Invocation invocation;
  private final UpFlags flags;
  private final ConfigurationChange gate;
  private final @Nullable Configuration wanted;

  /// Reads the file, so that its mistakes are found before anything starts.
  ///
  /// @param allowed risks that `--yes` accepts
  UpConfiguration(Invocation invocation, UpFlags flags, List<String> allowed)
      throws IOException, ConfigurationException {
    this.invocation = invocation;
    this.flags = flags;
    this.gate = new ConfigurationChange(invocation, allowed);
    this.wanted = flags.file == null ? null : ConfigurationReader.read(flags.file).configuration();
    if (wanted != null && wanted.isPlatform()) {
      throw new UsageException(
          flags.file + " is a platform file, and headgate up begins with a tenant's configuration",
          "WRONG_KIND",
          "start without it, then: headgate apply -f " + flags.file);
    }
  }

  /// The tenant whose jobs are shown from now on: the file's or the demo's tenant, else the last
  /// one.
  String tenant(Path directory) throws IOException {
    if (flags.demo) {
      return Demo.TENANT;
    }
    String named = wanted == null ? null : wanted.tenant();
    return named != null ? named : ChosenTenant.read(directory).orElse(DEFAULT_TENANT);
  }

  /// Puts the chosen configuration in force.
  ///
  /// @return the configuration in force afterwards; empty: the user refused the plan
  Optional<Configuration> putInForce(Installation installation, String tenant, UpNodes nodes)
      throws IOException, ConfigurationException {
    installation.ensureTenant(tenant);
    try (HeadgateClient operator = installation.connectAsOperator()) {
      ConfigurationClient configurations = operator.configuration(tenant);
      ConfigurationState before = configurations.read();
      boolean isNew = before.versions().resources() == 0 && before.versions().access() == 0;
      if (flags.again && !isNew) {
        if (wanted != null && !UpNodes.areSame(before.configuration(), wanted)) {
          invocation
              .output()
              .note(flags.file + " is not in force; to apply it: headgate apply -f " + flags.file);
        }
        return Optional.of(before.configuration());
      }
      if (flags.file != null && !isNew) {
        invocation.connect(installation.operatorConfig(), tenant, "this installation");
        return gate.apply(flags.file, null) == ExitCode.DONE
            ? Optional.of(configurations.read().configuration())
            : Optional.empty();
      }
      Configuration chosen = wanted;
      if (flags.demo) {
        chosen = Demo.configuration();
        if (!isNew && !UpNodes.areSame(before.configuration(), chosen)) {
          throw new UsageException(
              "tenant " + tenant + " has another configuration, which the demo would replace",
              "TENANT_CONFIGURED",
              "without keeping data: headgate up --demo --ephemeral",
              "beside this one: headgate up --demo --data DIR --port PORT");
        }
      } else if (chosen == null && (isNew || nodes.outgrow(before.configuration()))) {
        chosen = nodes.starter();
      }
      if (chosen == null) {
        return Optional.of(before.configuration());
      }
      configurations.apply(chosen.withTenant(tenant));
      return Optional.of(chosen);
    }
  }
}
