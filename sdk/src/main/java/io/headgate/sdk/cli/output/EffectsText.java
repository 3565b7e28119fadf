package io.headgate.sdk.cli.output;

import io.headgate.sdk.config.DurationText;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.PlanEffects.Jobs;
import io.headgate.sdk.model.PlanEffects.PlannedJob;
import io.headgate.sdk.model.PlanEffects.PolicyChange;
import io.headgate.sdk.model.PlanEffects.PolicyOutlook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The effects of a configuration as lines, for a live installation and for a scenario alike.
public final class EffectsText {
  /// Number of jobs of each kind that are named.
  public static final int MOST_JOBS = 10;

  private static final String UNKNOWN = "unknown";

  private EffectsText() {}

  /// The lines without a heading.
  public static List<String> lines(PlanEffects effects) {
    List<List<String>> rows = new ArrayList<>();
    rows(rows, "starts", effects.starts(), EffectsText::start);
    rows(rows, "preempts", effects.preempts(), EffectsText::preemption);
    rows(rows, "waits", effects.waits(), EffectsText::wait);
    rows(rows, "drafts", effects.drafts(), EffectsText::draft);
    if (rows.isEmpty()) {
      rows.add(List.of("  no job starts, stops or waits because of it"));
    }
    List<String> lines = new ArrayList<>(AlignedText.lines(rows));
    lines.addAll(AlignedText.lines(overLimit(effects)));
    if (!effects.policies().isEmpty()) {
      lines.add("");
      lines.addAll(policies(effects.policies()));
      if (effects.knownAhead() != null) {
        lines.add(
            "  waits are estimated up to %s ahead"
                .formatted(DurationText.format(seconds(effects.knownAhead()))));
      }
    }
    return lines;
  }

  /// Policies whose use exceeds their new limit.
  private static List<List<String>> overLimit(PlanEffects effects) {
    List<List<String>> rows = new ArrayList<>();
    for (PolicyChange policy : effects.policies()) {
      PolicyOutlook after = policy.after();
      if (after != null && after.usage().compareTo(after.limit()) > 0) {
        rows.add(
            List.of(
                "  over limit",
                policy.policy(),
                "uses %s of limit %s: running jobs continue, no more start"
                    .formatted(after.usage().mixed(), after.limit().mixed())));
      }
    }
    return rows;
  }

  /// `3 jobs start, 1 is preempted, 14 become drafts`; empty without effects.
  public static String totals(PlanEffects effects) {
    List<String> parts = new ArrayList<>();
    total(parts, effects.starts(), "starts", "start");
    total(parts, effects.preempts(), "is preempted", "are preempted");
    total(parts, effects.drafts(), "becomes a draft", "become drafts");
    return String.join(", ", parts);
  }

  private static void total(List<String> parts, Jobs jobs, String one, String many) {
    int count = jobs.count();
    if (count > 0) {
      String noun = parts.isEmpty() ? (count == 1 ? "job " : "jobs ") : "";
      parts.add(count + " " + noun + (count == 1 ? one : many));
    }
  }

  private static void rows(
      List<List<String>> rows, String what, Jobs jobs, Function<PlannedJob, String> text) {
    int count = jobs.count();
    List<List<String>> told = new ArrayList<>();
    for (PlannedJob job : jobs.named()) {
      told.add(List.of(job.job(), text.apply(job)));
    }
    int more = jobs.total() - jobs.named().size();
    if (more > 0) {
      told.add(List.of("and %d more".formatted(more), ""));
    }
    if (jobs.ofOtherTenants() > 0) {
      told.add(List.of("%d of other tenants".formatted(jobs.ofOtherTenants()), ""));
    }
    for (int i = 0; i < told.size(); i++) {
      rows.add(
          List.of(
              i == 0 ? "  " + what : "",
              i == 0 ? Integer.toString(count) : "",
              told.get(i).getFirst(),
              told.get(i).getLast()));
    }
  }

  private static String start(PlannedJob job) {
    return "on %s (%s)".formatted(PlaceText.of(job.placements()), job.pool());
  }

  private static String preemption(PlannedJob job) {
    return job.preemption() == null
        ? ""
        : "by %s (rule %s)".formatted(job.preemption().byJob(), job.preemption().rule());
  }

  private static String wait(PlannedJob job) {
    return job.reason() == null ? "" : job.reason().code() + " " + job.reason().message();
  }

  private static String draft(PlannedJob job) {
    return job.reason() == null ? "" : job.reason().message();
  }

  private static List<String> policies(List<PolicyChange> policies) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("POLICY", "USAGE", "RESERVATION", "LIMIT", "WAITING", "WAIT P50", "WAIT P99"));
    for (PolicyChange policy : policies) {
      rows.add(
          List.of(
              policy.policy(),
              change(policy, outlook -> outlook.usage().mixed()),
              change(policy, outlook -> outlook.reservation().mixed()),
              change(policy, outlook -> outlook.limit().mixed()),
              change(policy, outlook -> Integer.toString(outlook.waiting())),
              change(policy, outlook -> wait(outlook, outlook.waitP50())),
              change(policy, outlook -> wait(outlook, outlook.waitP99()))));
    }
    return AlignedText.lines(rows);
  }

  private static String wait(PolicyOutlook outlook, @Nullable Duration wait) {
    if (outlook.awaited() == 0) {
      return TimeText.NONE;
    }
    return wait == null ? UNKNOWN : DurationText.format(seconds(wait));
  }

  /// Rounds up, so that a printed time is never too short.
  private static Duration seconds(Duration exact) {
    return Duration.ofSeconds(exact.plusNanos(999_999_999).toSeconds());
  }

  /// `9`, or `9 -> 6`.
  private static String change(PolicyChange policy, Function<PolicyOutlook, String> text) {
    String before = policy.before() == null ? TimeText.NONE : text.apply(policy.before());
    String after = policy.after() == null ? TimeText.NONE : text.apply(policy.after());
    return before.equals(after) ? after : before + " -> " + after;
  }
}
