package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.PlanEffects;
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

  @Option(names = "--dry-run", description = "Print the plan and apply nothing.")
  private boolean dryRun;

  @Option(
      names = "--allow",
      split = ",",
      paramLabel = "WHAT",
      description = "Risks that --yes accepts: preempt (running jobs), remove (objects).")
  private List<String> allow = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException, ConfigurationException {
    ApplyConfirmation consent = new ApplyConfirmation(invocation, allow);
    if (dryRun) {
      return PlanCommand.run(invocation, options);
    }
    options.check();
    ConfigurationPlanner run = ConfigurationPlanner.read(invocation, options.file());
    String tenant = run.tenant();
    Plan plan = run.plan(tenant);
    PlanReport report = new PlanReport(invocation, tenant);
    report.checkVersion(plan, options.ifVersion);
    PlanEffects effects = report.print(plan, run.fileName());
    if (plan.diff().isEmpty()) {
      return ExitCode.DONE;
    }
    if (!consent.to(plan, effects, tenant)) {
      invocation.output().note("Nothing was applied.");
      return ExitCode.REFUSED;
    }
    return apply(invocation, run, plan);
  }

  private int apply(Invocation invocation, ConfigurationPlanner run, Plan plan) {
    long begin = System.nanoTime();
    Versions versions;
    try {
      versions = plan.apply();
    } catch (HeadgateException e) {
      CliFailure failure = run.refused(e);
      if (failure.exitCode() == ExitCode.CONFLICT) {
        replan(invocation, run);
      }
      throw failure;
    }
    invocation
        .output()
        .note(
            "provisioned %s in %d ms".formatted(versions, (System.nanoTime() - begin) / 1_000_000));
    return ExitCode.DONE;
  }

  /// Prints the plan again after another client changed the configuration in between.
  private static void replan(Invocation invocation, ConfigurationPlanner run) {
    String tenant = run.tenant();
    try {
      new PlanReport(invocation, tenant).print(run.plan(tenant), run.fileName());
    } catch (CliFailure _) {
      // The plan no longer fits. The conflict is reported, and the user plans again.
    }
  }
}
