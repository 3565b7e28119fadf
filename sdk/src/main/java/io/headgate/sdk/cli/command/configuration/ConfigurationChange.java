package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.PlanEffects;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The one way in which a command replaces the configuration in force: the plan is printed, the
/// user or the flags confirm it, and then it is applied.
public final class ConfigurationChange {
  private final Invocation invocation;
  private final ApplyConfirmation confirmation;
  private final List<String> discardDraftsOf;

  /// @param allowed risks that `--yes` accepts
  /// @throws io.headgate.sdk.cli.output.UsageException when a word of `allowed` is no risk
  public ConfigurationChange(Invocation invocation, List<String> allowed) {
    this(invocation, allowed, List.of());
  }

  /// @param allowed risks that `--yes` accepts
  /// @param discardDraftsOf other users whose edits of the draft may be lost, or their resource
  ///   names
  /// @throws io.headgate.sdk.cli.output.UsageException when a word of `allowed` is no risk
  public ConfigurationChange(
      Invocation invocation, List<String> allowed, List<String> discardDraftsOf) {
    this.invocation = invocation;
    this.discardDraftsOf = List.copyOf(discardDraftsOf);
    this.confirmation = new ApplyConfirmation(invocation, allowed);
  }

  /// Plans the file, asks, and applies.
  ///
  /// @param ifVersion versions that must be in force; null: any
  /// @return [ExitCode#DONE] when the file is in force, [ExitCode#REFUSED] when the user says no
  /// @throws CliFailure when a service refuses the file, or another client changed the
  ///   configuration in between
  public int apply(Path file, @Nullable String ifVersion)
      throws IOException, ConfigurationException {
    ConfigurationPlanner planner = ConfigurationPlanner.read(invocation, file);
    String tenant = planner.tenant();
    Plan plan = planner.plan(tenant);
    PlanReport report = new PlanReport(invocation, tenant);
    report.checkVersion(plan, ifVersion);
    PlanEffects effects = report.print(plan, planner.fileName());
    if (plan.diff().isEmpty()) {
      return ExitCode.DONE;
    }
    if (!confirmation.to(plan, effects, tenant)) {
      invocation.output().note("Nothing was applied.");
      return ExitCode.REFUSED;
    }
    return apply(planner, plan);
  }

  private int apply(ConfigurationPlanner planner, Plan plan) {
    long begin = System.nanoTime();
    Versions versions;
    try {
      versions = plan.apply(subjects(planner.tenant()));
    } catch (HeadgateException e) {
      CliFailure failure = planner.refused(e);
      if (e.reason().equals("VERSION_CHANGED")) {
        replan(planner);
      }
      throw failure;
    }
    invocation
        .output()
        .note(
            "provisioned %s in %d ms".formatted(versions, (System.nanoTime() - begin) / 1_000_000));
    return ExitCode.DONE;
  }

  private List<String> subjects(String tenant) {
    return discardDraftsOf.stream()
        .map(name -> name.indexOf('/') < 0 ? "tenants/" + tenant + "/users/" + name : name)
        .toList();
  }

  /// Prints the plan again after another client changed the configuration in between.
  private void replan(ConfigurationPlanner planner) {
    String tenant = planner.tenant();
    try {
      new PlanReport(invocation, tenant).print(planner.plan(tenant), planner.fileName());
    } catch (CliFailure _) {
      // The plan no longer fits. The conflict is reported, and the user plans again.
    }
  }
}
