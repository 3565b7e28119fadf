package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.config.ConfigurationException;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate apply`.
@Command(
    header = {
      "headgate apply -f acme.yaml                                 show the plan, ask, apply",
      "headgate apply -f acme.yaml --yes --allow preempt,remove    in automation",
      ""
    },
    description =
        "Changes the tenant until it matches a configuration file. Shows the plan and asks first.")
public final class ApplyCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final PlanOptions options = new PlanOptions();
  @Mixin private final AllowOption allow = new AllowOption();

  @Option(names = "--dry-run", description = "Print the plan and apply nothing.")
  private boolean dryRun;

  @Option(
      names = "--discard-draft-of",
      split = ",",
      paramLabel = "NAME",
      description = "Other admins whose edits of a draft of pools and profiles may be lost.")
  private List<String> discardDraftOf = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException, ConfigurationException {
    ConfigurationChange gate = new ConfigurationChange(invocation, allow.words(), discardDraftOf);
    if (dryRun) {
      return PlanCommand.run(invocation, options);
    }
    options.check();
    return gate.apply(options.file(), options.ifVersion);
  }
}
