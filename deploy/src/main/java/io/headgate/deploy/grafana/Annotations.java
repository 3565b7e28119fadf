package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.all;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.sum;

import io.headgate.policy.runtime.PolicyMetrics;
import io.headgate.scheduler.MetricNames;
import java.util.List;

/// Moments that explain a change in many panels.
final class Annotations {
  private static final String STEP = "1m";

  static final List<Annotation> ALL =
      List.of(
          new Annotation(
              "Preemption",
              sum(Promql.increase(Promql.chosen(MetricNames.PREEMPTIONS), STEP), MetricNames.POLICY)
                  + " > 0",
              "jobs of " + Query.by(MetricNames.POLICY) + " were preempted",
              UsageColor.LOST.color),
          new Annotation(
              "Node lost",
              "%s == 0 and %s == 1"
                  .formatted(
                      max(Promql.chosen(MetricNames.AGENT_CONNECTED), MetricNames.NODE),
                      max(
                          Promql.chosen(MetricNames.AGENT_CONNECTED) + " offset " + STEP,
                          MetricNames.NODE)),
              "the agent of " + Query.by(MetricNames.NODE) + " is away",
              UsageColor.DOWN.color),
          new Annotation(
              "Leader changed",
              max("changes(" + all(MetricNames.EPOCH) + "[" + STEP + "])") + " > 0",
              "another scheduler leads, or the same one again",
              Threshold.WARNING),
          new Annotation(
              "Configuration",
              sum(Promql.increase(all(PolicyMetrics.CHANGES), STEP)) + " > 0",
              "a tenant's rights have a new version",
              UsageColor.RESERVATION.color));

  private Annotations() {}
}
