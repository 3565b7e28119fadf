package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.command.shared.Prompt;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.ConfigurationDiff.Change.Action;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.model.PlanEffects;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether a plan may be applied: the user at the terminal or the flags confirm it. A plan
/// that preempts jobs or removes objects needs more than a yes. The user types the tenant's name,
/// or the flags name the risk, so that automation never takes it blindly.
record ApplyConfirmation(Invocation invocation, List<String> allowed) {
  private static final String REMOVE = "remove";
  private static final String PREEMPT = "preempt";
  private static final List<String> WORDS = List.of(PREEMPT, REMOVE);

  /// A risk that a bare yes does not cover.
  ///
  /// @param word value of `--allow` that accepts the risk
  /// @param does the plan's effect
  /// @param because reason shown when the tenant's name must be typed
  private record Risk(String word, String does, String because) {}

  ApplyConfirmation {
    allowed = List.copyOf(allowed);
    for (String word : allowed) {
      if (!WORDS.contains(word)) {
        throw new UsageException(
            "\"" + word + "\" is not a value of --allow",
            "BAD_FLAG_VALUE",
            "values: " + String.join(", ", WORDS));
      }
    }
  }

  /// Returns false when the user refuses.
  ///
  /// @param effects null: not known, so jobs may be preempted
  /// @throws UsageException when no user can be asked and the flags do not allow the plan
  boolean to(Plan plan, @Nullable PlanEffects effects, String tenant) throws IOException {
    List<Risk> risks = risks(plan, effects);
    if (invocation.global().yes) {
      List<Risk> blind = risks.stream().filter(risk -> !allowed.contains(risk.word())).toList();
      if (!blind.isEmpty()) {
        throw new UsageException(
            "the plan %s, which %s does not allow"
                .formatted(
                    EnglishText.all(blind.stream().map(Risk::does).toList()),
                    allowed.isEmpty() ? "--yes" : "--allow " + String.join(",", allowed)),
            "NOT_ALLOWED",
            "to apply it anyway: " + flags(risks));
      }
      return true;
    }
    if (!invocation.mayAsk()) {
      throw new UsageException(
          "the plan must be confirmed, and there is no terminal to ask",
          "INPUT_NEEDED",
          "to apply it without a question: " + flags(risks));
    }
    Prompt prompt = new Prompt(invocation);
    if (risks.isEmpty()) {
      return prompt.ask("Apply? (y/N) ").equalsIgnoreCase("y");
    }
    String because = EnglishText.all(risks.stream().map(Risk::because).toList());
    return prompt
        .ask("Apply? Type the name of the tenant, because %s: ".formatted(because))
        .equals(tenant);
  }

  private static List<Risk> risks(Plan plan, @Nullable PlanEffects effects) {
    List<Risk> risks = new ArrayList<>();
    if (effects == null) {
      risks.add(
          new Risk(
              PREEMPT,
              "may preempt jobs (its effects are not known now)",
              "it is not known whether jobs are preempted"));
    } else if (effects.preempts().count() > 0) {
      risks.add(
          new Risk(
              PREEMPT,
              "preempts " + EnglishText.count(effects.preempts().count(), "running job"),
              "jobs are preempted"));
    }
    if (plan.diff().count(Action.REMOVED) > 0) {
      risks.add(new Risk(REMOVE, "removes objects", "objects are removed"));
    }
    if (effects != null && effects.drafts().count() > 0) {
      risks.add(
          new Risk(
              REMOVE,
              "makes drafts of %s".formatted(EnglishText.count(effects.drafts().count(), "job")),
              "jobs become drafts"));
    }
    return risks;
  }

  /// The flags that apply a plan with these risks.
  private static String flags(List<Risk> risks) {
    List<String> words = risks.stream().map(Risk::word).distinct().sorted().toList();
    return words.isEmpty() ? "--yes" : "--yes --allow " + String.join(",", words);
  }
}
