package io.headgate.deploy.simulate;

import io.headgate.scheduler.simulation.AffectedJobs;
import io.headgate.scheduler.simulation.PolicyForecast;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.WhatIf;
import io.headgate.sdk.cli.output.EffectsText;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.model.Attempt.Preemption;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.PlanEffects.Jobs;
import io.headgate.sdk.model.PlanEffects.PlannedJob;
import io.headgate.sdk.model.PlanEffects.PolicyChange;
import io.headgate.sdk.model.PlanEffects.PolicyOutlook;
import io.headgate.sdk.model.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The effects of another configuration on a scenario, provisioned at 0s, in the words of `headgate
/// plan`.
final class PlanView {
  private PlanView() {}

  /// @param file name of the configuration
  static List<String> lines(Output output, WhatIf.Answer answer, String file) {
    List<String> lines = new ArrayList<>();
    lines.add(output.bold("Effects of " + file + " at 0s"));
    lines.addAll(EffectsText.lines(effects(answer)));
    return lines;
  }

  private static PlanEffects effects(WhatIf.Answer answer) {
    return new PlanEffects(
        jobs(
            answer.starts(),
            start ->
                new PlannedJob(
                    start.job(),
                    start.place().pool().name(),
                    Words.placements(start.place()),
                    null,
                    null)),
        jobs(
            answer.preempts(),
            preempt ->
                new PlannedJob(
                    preempt.job(),
                    "",
                    List.of(),
                    new Preemption(preempt.by(), preempt.rule(), "", null, ""),
                    null)),
        jobs(
            answer.waits(),
            wait -> because(wait.job(), new Reason(wait.reason(), wait.text(), wait.detail()))),
        jobs(
            answer.drafts(),
            draft ->
                because(
                    draft.job(),
                    new Reason("QUEUE_REMOVED", SimulationEvent.Draft.CAUSE, Map.of()))),
        answer.policies().stream()
            .map(policy ->
                new PolicyChange(
                    policy.name(),
                    policy.before().map(PlanView::outlook).orElse(null),
                    policy.after().map(PlanView::outlook).orElse(null)))
            .toList(),
        List.of(),
        answer.knownUntil().orElse(null));
  }

  private static <E> Jobs jobs(AffectedJobs<E> jobs, Function<E, PlannedJob> mapper) {
    return new Jobs(jobs.named().stream().map(mapper).toList(), jobs.count(), jobs.ofOthers());
  }

  private static PlannedJob because(String job, Reason reason) {
    return new PlannedJob(job, "", List.of(), null, reason);
  }

  private static PolicyOutlook outlook(PolicyForecast outlook) {
    return new PolicyOutlook(
        outlook.usage(),
        outlook.reservation(),
        outlook.limit(),
        outlook.waiting(),
        outlook.expected().jobs(),
        duration(outlook.expected().p50Ms()),
        duration(outlook.expected().p99Ms()));
  }

  private static @Nullable Duration duration(OptionalLong ms) {
    return ms.isPresent() ? Duration.ofMillis(ms.getAsLong()) : null;
  }
}
