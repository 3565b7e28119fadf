package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.EffectsText;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.config.ConfigurationDiff.Change;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.Warning;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Prints a plan.
record PlanReport(Invocation invocation, String tenant) {
  /// Refuses a plan for other versions than the user has seen.
  void checkVersion(Plan plan, @Nullable String wanted) {
    String base = plan.base().toString();
    if (wanted == null
        || wanted.equals(base)
        || wanted.equals(String.valueOf(plan.base().resources()))) {
      return;
    }
    ErrorFrame frame =
        ErrorFrame.usage(
                "version " + wanted + " is not in force; the version is " + base,
                "VERSION_CHANGED",
                List.of("look at the plan again, then use --if-version " + base))
            .where("--if-version " + wanted);
    throw new CliFailure(List.of(frame), ExitCode.CONFLICT, null);
  }

  /// Prints the changes and their effects. A note replaces the effects when the scheduler cannot
  /// compute them.
  ///
  /// @return the effects; null: the plan changes nothing, or the effects are not known
  @Nullable PlanEffects print(Plan plan, String fileName) {
    Output output = invocation.output();
    ConfigurationDiff diff = plan.diff();
    PlanEffects effects = diff.isEmpty() ? null : effects(plan);
    if (invocation.form().isJson()) {
      output.line(JsonText.of(json(plan, effects)));
      return effects;
    }
    if (diff.isEmpty()) {
      output.line(
          "No changes. %s matches %s (version %s).".formatted(tenant, fileName, plan.base()));
      return null;
    }
    PlanText text = new PlanText(output);
    output.line(
        output.bold(tenant)
            + " "
            + output.symbols().dot()
            + " version "
            + plan.base()
            + " -> "
            + next(plan));
    output.line("");
    text.changes(diff).forEach(output::line);
    text.warnings(warnings(plan, effects)).forEach(output::line);
    if (effects != null) {
      output.line("");
      output.line(output.bold("Effects if applied now"));
      runOn(diff).forEach(output::line);
      EffectsText.lines(effects).forEach(output::line);
    }
    output.line("");
    output.line(PlanText.totals(diff, effects));
    return effects;
  }

  /// Counts running jobs whose queue the plan removes.
  private List<String> runOn(ConfigurationDiff diff) {
    Set<String> gone = queues(diff, Change.Action.REMOVED);
    gone.removeAll(
        queues(diff, Change.Action.ADDED)); // The queue moves to another policy and stays.
    if (gone.isEmpty()) {
      return List.of();
    }
    return invocation.session().client().catalog(tenant).queueUsages().stream()
        .filter(usage -> gone.contains(usage.id()) && usage.runningJobs() > 0)
        .map(usage ->
            "  runs on   %d   queue %s is removed; its running jobs continue"
                .formatted(usage.runningJobs(), usage.id()))
        .toList();
  }

  private static Set<String> queues(ConfigurationDiff diff, Change.Action action) {
    return diff.changes().stream()
        .flatMap(change -> change.parts().stream())
        .filter(part -> part.action() == action)
        .map(Change::name)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private @Nullable PlanEffects effects(Plan plan) {
    try {
      return plan.effects(EffectsText.MOST_JOBS);
    } catch (HeadgateException e) {
      invocation
          .output()
          .note(
              "the effects on jobs are not known: %s"
                  .formatted(PrintableText.line(e.failure().message())));
      return null;
    }
  }

  /// The warnings of the services that check the configuration, and of the scheduler.
  private static List<Warning> warnings(Plan plan, @Nullable PlanEffects effects) {
    return effects == null
        ? plan.warnings()
        : Stream.concat(plan.warnings().stream(), effects.warnings().stream()).toList();
  }

  /// The versions with the plan. A change of supply alone is a version of rights, too.
  static Versions next(Plan plan) {
    return new Versions(
        plan.base().resources() + (plan.diff().changesResources() ? 1 : 0),
        plan.base().access() + (plan.diff().isEmpty() ? 0 : 1));
  }

  private Map<String, Object> json(Plan plan, @Nullable PlanEffects effects) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("tenant", tenant);
    json.put("version", plan.base().toString());
    json.put("changes", changes(plan.diff().changes()));
    json.put("unchanged", plan.diff().unchanged());
    List<Map<String, Object>> warnings = new ArrayList<>();
    for (Warning warning : warnings(plan, effects)) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("reason", warning.reason());
      entry.put("message", warning.message());
      entry.put("field", warning.field());
      warnings.add(entry);
    }
    json.put("warnings", warnings);
    if (effects != null) {
      json.put("effects", PlanEffectsJson.of(effects));
    }
    return json;
  }

  private static List<Map<String, Object>> changes(List<Change> changes) {
    List<Map<String, Object>> list = new ArrayList<>();
    for (Change change : changes) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("kind", change.kind().keyword());
      entry.put("name", change.name());
      entry.put("action", change.action().name());
      Map<String, Object> fields = new LinkedHashMap<>();
      change
          .fields()
          .forEach((name, field) -> {
            if (field.isChange()) {
              Map<String, Object> both = new LinkedHashMap<>();
              both.put("from", field.from().toString());
              both.put("to", field.to().toString());
              fields.put(name, both);
            }
          });
      entry.put("fields", fields);
      if (!change.parts().isEmpty()) {
        entry.put("parts", changes(change.parts()));
      }
      list.add(entry);
    }
    return list;
  }
}
