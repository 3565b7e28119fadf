package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.chosen;
import static io.headgate.deploy.grafana.Promql.smaller;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.POLICY;
import static io.headgate.scheduler.MetricNames.TENANT;
import static io.headgate.scheduler.MetricNames.USAGE_KIND;

import io.headgate.scheduler.MetricNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// 2: what each policy uses, what it is entitled to, and whether it gets that.
final class PoliciesDashboard {
  static final String ID = "headgate-policies";

  private static final String USAGE = sum(chosen(MetricNames.POLICY_USAGE), TENANT, POLICY);
  private static final String RESERVATION =
      sum(chosen(MetricNames.POLICY_RESERVATION), TENANT, POLICY);
  private static final String LIMIT = sum(chosen(MetricNames.POLICY_LIMIT), TENANT, POLICY);
  private static final String DEMAND = sum(chosen(MetricNames.POLICY_DEMAND), TENANT, POLICY);
  private static final String OVER =
      sum(chosen(MetricNames.POLICY_USAGE).not(USAGE_KIND, "entitled"), TENANT, POLICY);

  /// The part of a policy's reservation that its waiting jobs ask for and do not have.
  private static final String SHORT =
      "clamp_min(%s, 0)".formatted(smaller(RESERVATION + " - " + USAGE, DEMAND));

  private PoliciesDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 2 Policies and fairness",
        "What each policy uses, reserves and waits for, and how the rest is shared.",
        Annotations.ALL,
        List.of(
            Row.of("Each policy", bands()),
            Row.of("All policies", table(), demand()),
            Row.of("Is the reservation honoured?", shortNow(), shortTime()),
            Row.of("How is the rest shared?", overShare(), jain())));
  }

  private static Panel bands() {
    return Panel.area(
            "$policy",
            Unit.GPUS,
            "What the policy uses, by right, with its reservation and its limit as lines.")
        .asks("headgate policies")
        .watches("A2")
        .size(8, 7)
        .repeatFor("policy")
        .query(
            Query.range(Query.by(USAGE_KIND), sum(chosen(MetricNames.POLICY_USAGE), USAGE_KIND)),
            Query.range("reservation", sum(chosen(MetricNames.POLICY_RESERVATION))),
            Query.range("limit", sum(chosen(MetricNames.POLICY_LIMIT))));
  }

  private static Panel table() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(Promql.label(TENANT), "tenant");
    columns.put(Promql.label(POLICY), "policy");
    columns.put("usage", "usage");
    columns.put("reservation", "reservation");
    columns.put("limit", "limit");
    columns.put("over", "reclaimable");
    columns.put("waiting", "waiting");
    columns.put("short", "short of reservation");
    return Panel.table(
            "Policies",
            Unit.GPUS,
            "GPUs of each policy. Reclaimable is what it uses above its reservation: others take it"
                + " back when they are entitled. Short is what it waits for within its"
                + " reservation.",
            columns)
        .asks("headgate policies")
        .watches("P1")
        .size(16, 9)
        .query(
            Query.row("usage", USAGE),
            Query.row("reservation", RESERVATION),
            Query.row("limit", LIMIT),
            Query.row("over", OVER),
            Query.row("waiting", DEMAND),
            Query.row("short", SHORT));
  }

  private static Panel demand() {
    return Panel.area("Demand", Unit.GPUS, "GPUs that the policies' waiting jobs ask for.")
        .asks("headgate jobs --all --state WAITING")
        .size(8, 9)
        .query(Query.range(Query.by(POLICY), sum(chosen(MetricNames.POLICY_DEMAND), POLICY)));
  }

  private static Panel shortNow() {
    return Panel.lines(
            "Short of reservation while waiting",
            Unit.GPUS,
            "GPUs within the reservation that waiting jobs ask for. They last as long as the"
                + " victims take to stop. A job that needs more than is left of the reservation"
                + " counts, too.")
        .asks("headgate usage --reservations")
        .watches("P1")
        .query(Query.range(Query.by(TENANT, POLICY), SHORT));
  }

  private static Panel shortTime() {
    return Panel.bars(
            "Part of the time below the reservation and waiting",
            Unit.SHARE,
            "Of the chosen period. The report on the command line is exact; this is sampled once a"
                + " minute.")
        .asks("headgate usage --reservations")
        .watches("P4")
        .query(
            Query.now(
                Query.by(TENANT, POLICY),
                "avg_over_time((" + SHORT + " > bool 0)[" + Promql.RANGE + ":1m])"));
  }

  private static Panel overShare() {
    return Panel.area(
            "GPUs above reservations",
            Unit.GPUS,
            "How policies share what others leave. Each gets a part by its weight; weights are in"
                + " the configuration and not in a metric.")
        .asks("headgate policies")
        .watches("O4")
        .query(Query.range(Query.by(TENANT, POLICY), OVER));
  }

  private static Panel jain() {
    return Panel.lines(
            "Evenness of the use above reservations",
            Unit.RATIO,
            "Jain's index over the policies that use or want GPUs above their reservations, by"
                + " tenant: 1 where all have the same, 1/n where one has all. Policies with"
                + " different weights are not meant to have the same.")
        .asks("headgate policies")
        .watches("O4")
        .query(
            Query.range(
                Query.by(TENANT),
                "%s ^ 2 / (%s * %s)"
                    .formatted(
                        sum(OVER, TENANT),
                        Promql.count("(%s > 0) or (%s > 0)".formatted(OVER, DEMAND), TENANT),
                        sum("(" + OVER + ") ^ 2", TENANT))));
  }
}
