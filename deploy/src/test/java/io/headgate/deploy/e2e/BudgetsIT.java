package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.sdk.model.JobState;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A budget is counted from the ledger, warns, stops its jobs when it is spent, and lets them go on
/// when it is raised.
class BudgetsIT {
  /// 5.4 seconds of one GPU.
  private static final String SMALL = "0.0015";

  private static String configuration(String gpuHours) {
    return """
    groups:
      - {name: lab, users: [ada]}
    pools:
      - {name: gpus, type: static, pricePerGpuHour: 36, currency: EUR}
    profiles:
      - {name: one, gpus: 1, pools: [gpus]}
    policies:
      - name: lab
        group: lab
        limit: 4
        budget: {gpuHours: %s, per: year, warnAt: 1, whenSpent: stop}
        queues: [{name: lab-1, profile: one}]
    budget: {cost: 1000, currency: EUR, per: year}
    """
        .formatted(gpuHours);
  }

  @Test
  void stopsJobsWhenItIsSpentAndStartsThemWhenItIsRaised(@TempDir Path directory) throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory)
            .withConfiguration(configuration(SMALL))
            .withNode("n-0", "gpus", "1xA100")) {
      headgate.jobs().submit(TestInstallation.endless("train", "lab-1"));
      headgate.awaitState("train", JobState.RUNNING);
      headgate.awaitState("train", JobState.WAITING);
      LiveCli cli = LiveCli.of(headgate);
      assertThat(cli.run("explain", "train").out())
          .contains("the budget of policy lab, 0.0015 GPU-hours, is spent until");
      assertThat(cli.run("events", "--policy", "lab").out())
          .contains("policy lab has used all of its budget of 0.0015 GPU-hours")
          .contains("train is stopped to wait in its queue again: the budget of policy lab");
      List<String> policy = budget(cli, "policy/lab");
      assertThat(policy.get(6)).isEqualTo("spent");
      assertThat(new BigDecimal(policy.get(2))).isGreaterThanOrEqualTo(new BigDecimal(SMALL));
      // Nothing runs, so both count the same now. A GPU-hour costs 36 EUR.
      await()
          .atMost(TestInstallation.PATIENCE)
          .untilAsserted(() -> {
            BigDecimal hours = new BigDecimal(budget(cli, "policy/lab").get(2));
            BigDecimal cost = new BigDecimal(budget(cli, "tenant").get(2));
            assertThat(hours.multiply(BigDecimal.valueOf(36)).subtract(cost).abs())
                .isLessThan(new BigDecimal("0.0001"));
          });
      headgate.withConfiguration(configuration("1000"));
      headgate.awaitState("train", JobState.RUNNING);
      assertThat(cli.run("events", "--policy", "lab").out())
          .contains("policy lab has room in its budget again");
    }
  }

  /// Its row, by columns.
  private static List<String> budget(LiveCli cli, String name) {
    LiveCli.Result shown = cli.run("budgets", name, "-o", "csv");
    assertThat(shown.exitCode()).as("%s", shown).isZero();
    return List.of(shown.lines().getLast().split(",", -1));
  }
}
