package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationWriter;
import io.headgate.sdk.config.Vault;
import io.headgate.sdk.model.ConfigurationState;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate export`.
@Command(
    header = {
      "headgate export > acme.yaml                 edit it, then: headgate apply -f acme.yaml",
      "headgate export --into acme.yaml            update your file; comments and order stay",
      "headgate export -t acme | diff acme.yaml -  compare with a file",
      ""
    },
    description = "Prints the configuration in force as a file for headgate apply.")
public final class ExportCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description =
          "Edit this file where it differs from the configuration in force. Its comments, order and"
              + " spelling stay.")
  private @Nullable Path into;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException, ConfigurationException {
    OutputForm.Kind kind = invocation.form().kind();
    if (kind != OutputForm.Kind.TABLE && kind != OutputForm.Kind.YAML) {
      throw new UsageException(
          "a configuration is exported as YAML",
          "BAD_OUTPUT_FORM",
          "leave out -o, or write -o yaml");
    }
    ConfigurationState state = invocation.session().configuration().read().state();
    // The exported file repeats this note, so that applying it does not empty the hidden values.
    state.configuration().vaults().stream()
        .filter(Vault::environmentHidden)
        .forEach(vault ->
            invocation
                .output()
                .note(
                    "vault '%s': the values of its environment are left out, because only admins see them"
                        .formatted(vault.name())));
    if (into == null) {
      invocation.output().text(ConfigurationWriter.write(state.configuration()));
    } else {
      invocation.output().line(new ExportFile(into).bring(state.configuration()));
    }
    return ExitCode.DONE;
  }
}
