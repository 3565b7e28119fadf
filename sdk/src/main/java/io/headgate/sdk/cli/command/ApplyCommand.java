package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.ConfigurationDiff.Change.Action;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate apply`.
@Command(
    header = {
      "headgate apply -f acme.yaml                                 plan, ask, provision",
      "headgate apply -f acme.yaml --yes --allow remove            in automation",
      ""
    },
    description = "Makes the tenant look like a configuration file.")
public final class ApplyCommand implements CliCommand {
  private static final String REMOVE = "remove";

  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final PlanOptions options = new PlanOptions();

  @Option(names = "--dry-run", description = "Stop after the plan.")
  private boolean dryRun;

  @Option(
      names = "--allow",
      split = ",",
      paramLabel = "WHAT",
      description = "With --yes, what may also happen: remove.")
  private List<String> allow = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException, ConfigurationException {
    for (String what : allow) {
      if (!what.equals(REMOVE)) {
        throw new UsageException(
            "\"" + what + "\" cannot be allowed", "BAD_FLAG_VALUE", "values: " + REMOVE);
      }
    }
    if (dryRun) {
      return PlanCommand.run(invocation, options);
    }
    options.check();
    PlanRun run = PlanRun.read(invocation, options.file());
    String tenant = run.tenant();
    Plan plan = run.plan(tenant);
    PlanReport report = new PlanReport(invocation, tenant);
    report.checkVersion(plan, options.ifVersion);
    report.print(plan, run.fileName());
    if (plan.diff().isEmpty()) {
      return ExitCode.DONE;
    }
    if (!confirmed(invocation, plan, tenant)) {
      invocation.output().note("Nothing was applied.");
      return ExitCode.REFUSED;
    }
    return apply(invocation, run, plan);
  }

  private int apply(Invocation invocation, PlanRun run, Plan plan) {
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

  /// What it would be now, after somebody else was faster.
  private static void replan(Invocation invocation, PlanRun run) {
    String tenant = run.tenant();
    try {
      new PlanReport(invocation, tenant).print(run.plan(tenant), run.fileName());
    } catch (CliFailure _) {
      // It does not fit any more. The user is told of the conflict, and plans again.
    }
  }

  private boolean confirmed(Invocation invocation, Plan plan, String tenant) throws IOException {
    boolean removes = plan.diff().count(Action.REMOVED) > 0;
    if (global.yes) {
      if (removes && !allow.contains(REMOVE)) {
        throw new UsageException(
            "the plan removes objects, and --yes alone does not allow that",
            "NOT_ALLOWED",
            "if that is meant: --yes --allow remove");
      }
      return true;
    }
    if (!invocation.mayAsk()) {
      throw new UsageException(
          "there is nobody to ask whether to apply this plan",
          "INPUT_NEEDED",
          removes ? "apply it with --yes --allow remove" : "apply it with --yes");
    }
    Prompt prompt = new Prompt(invocation);
    return removes
        ? prompt.ask("Apply? Type the tenant's name because objects are removed: ").equals(tenant)
        : prompt.ask("Apply? (y/N) ").equalsIgnoreCase("y");
  }
}
