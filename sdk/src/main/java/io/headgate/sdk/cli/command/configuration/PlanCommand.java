package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.ConfigurationException;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `headgate plan`.
@Command(
    header = {
      "headgate plan acme.yaml                    changes of the file, and effects on jobs",
      "headgate plan acme.yaml --exit-code        exit with 3 if there are changes",
      ""
    },
    description =
        "Shows what a configuration file would change, and which jobs would then start, be"
            + " preempted or wait. Also shows how usage and waiting times would change. Nothing"
            + " takes effect.")
public final class PlanCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final PlanOptions options = new PlanOptions();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException, ConfigurationException {
    return run(invocation, options);
  }

  static int run(Invocation invocation, PlanOptions options)
      throws IOException, ConfigurationException {
    options.check();
    ConfigurationPlanner run = ConfigurationPlanner.read(invocation, options.file());
    String tenant = run.tenant();
    Plan plan = run.plan(tenant);
    PlanReport report = new PlanReport(invocation, tenant);
    report.checkVersion(plan, options.ifVersion);
    report.print(plan, run.fileName());
    return options.exitCode && !plan.diff().isEmpty() ? ExitCode.DIFFERENT : ExitCode.DONE;
  }
}
