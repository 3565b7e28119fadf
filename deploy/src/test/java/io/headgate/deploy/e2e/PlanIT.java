package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.e2e.LiveCli.Result;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Usage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Changes of a system at work: what `plan` says before, what happens then, and that a snapshot of
/// the system is as good a base for the question.
class PlanIT {
  @Test
  void planSaysWhatApplyDoesLiveAndOnASnapshot(@TempDir Path directory) throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory.resolve("data"))
            .withConfiguration(configuration(9, 0))
            .withNode("a-0", "onprem", "10xA100")) {
      LiveCli cli = LiveCli.of(headgate);
      JobClient alice = headgate.jobsOf("alice");
      JobClient dora = headgate.jobsOf("dora");
      for (int i = 0; i < 4; i++) {
        alice.submit(TestInstallation.endless("r-" + i, "rnd-3"));
        headgate.awaitState("r-" + i, i < 3 ? JobState.RUNNING : JobState.WAITING);
      }
      dora.submit(TestInstallation.endless("d-0", "devops-3"));
      headgate.awaitState("d-0", JobState.WAITING);
      Path wanted = file(directory, "wanted.yaml", configuration(9, 5));
      Path now = directory.resolve("now.yaml");

      Result plan = cli.run("plan", wanted.toString());
      assertThat(plan.exitCode()).as(plan.err()).isZero();
      assertThat(effects(plan))
          .contains(
              "  starts    1  d-0  on a-0:6-8 (onprem)",
              "  preempts  1  r-2  by d-0 (rule P1)",
              "  waits     1  r-2  CAPACITY pool onprem, need 3, idle 1");
      assertThat(plan.out())
          .endsWith("Plan: 0 to add, 1 to change, 0 to remove; 1 job starts, 1 is preempted.\n");
      assertThat(cli.run("apply", wanted.toString(), "--dry-run").out()).isEqualTo(plan.out());

      Result snapshot = cli.run("snapshot");
      assertThat(snapshot.exitCode()).as(snapshot.err()).isZero();
      Files.writeString(now, snapshot.out());
      Result simulated = cli.run("simulate", now.toString(), "--plan", wanted.toString());
      assertThat(simulated.exitCode()).as(simulated.err()).isZero();
      assertThat(simulated.lines().subList(1, simulated.lines().size()))
          .as("the snapshot answers as the live system does")
          .isEqualTo(effects(plan));
      assertThat(cli.run("simulate", now.toString()).lines())
          .as("nothing moves in a snapshot of a system at rest")
          .noneMatch(line -> line.contains("\"start\"") || line.contains("\"preempt\""));

      Result blind = cli.run("apply", wanted.toString(), "--yes");
      assertThat(blind.exitCode()).isEqualTo(2);
      assertThat(blind.err())
          .contains("the plan preempts 1 running job", "NOT_ALLOWED", "--yes --allow preempt");
      assertThat(cli.run("plan", wanted.toString()).out())
          .as("nothing was applied")
          .isEqualTo(plan.out());

      assertThat(cli.run("apply", wanted.toString(), "--yes", "--allow", "preempt").exitCode())
          .isZero();
      headgate.awaitState("d-0", JobState.RUNNING);
      headgate.awaitState("r-2", JobState.WAITING);
      assertThat(headgate.used("rnd")).isEqualTo("6");

      shrinkBelowUse(headgate, cli, dora, file(directory, "small.yaml", configuration(3, 5)));
    }
  }

  /// Nothing is killed; what waits goes on waiting; whose turn it is takes from there.
  private static void shrinkBelowUse(
      TestInstallation headgate, LiveCli cli, JobClient dora, Path small) {
    Result plan = cli.run("plan", small.toString());
    assertThat(effects(plan).getFirst()).isEqualTo("  no job starts, stops or waits because of it");
    assertThat(cli.run("apply", small.toString(), "--yes").exitCode()).isZero();

    // The use includes the configuration just applied, and later jobs follow it, too.
    assertThat(headgate.used("rnd")).isEqualTo("6");
    Job waiting = headgate.jobs().get("r-2");
    assertThat(waiting.reason().code()).isEqualTo("LIMIT");
    assertThat(waiting.reason().detail()).containsEntry("usage", "6").containsEntry("limit", "3");
    for (String id : List.of("r-0", "r-1")) {
      Job kept = headgate.awaitState(id, JobState.RUNNING);
      assertThat(kept.attempt()).as("it was not stopped").isEqualTo(1);
    }

    dora.submit(TestInstallation.endless("e-0", "devops-2"));
    headgate.awaitState("e-0", JobState.RUNNING);
    headgate.awaitState("r-1", JobState.WAITING);
    assertThat(headgate.used("rnd")).isEqualTo("3");
  }

  @Test
  void aDrainedNodeKeepsItsJobsAndGetsNoOthersUntilItIsBack(@TempDir Path directory)
      throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory.resolve("data"))
            .withConfiguration(configuration(9, 0))
            .withNode("a-0", "onprem", "10xA100")) {
      LiveCli cli = LiveCli.of(headgate);
      JobClient alice = headgate.jobsOf("alice");
      alice.submit(TestInstallation.endless("r-0", "rnd-3"));
      headgate.awaitState("r-0", JobState.RUNNING);

      assertThat(cli.run("drain", "a-0", "--reason", "a fan").out())
          .isEqualTo("a-0 gets no new work; its running jobs continue\n");
      assertThat(onprem(headgate).idle()).hasToString("0");
      alice.submit(TestInstallation.endless("r-1", "rnd-3"));
      headgate.awaitState("r-1", JobState.WAITING);
      assertThat(headgate.awaitState("r-0", JobState.RUNNING).attempt()).isEqualTo(1);
      Path wanted = file(directory, "wanted.yaml", configuration(8, 0));
      assertThat(effects(cli.run("plan", wanted.toString())).getFirst())
          .as("a plan starts nothing there either")
          .isEqualTo("  no job starts, stops or waits because of it");

      assertThat(cli.run("undrain", "a-0").exitCode()).isZero();
      headgate.awaitState("r-1", JobState.RUNNING);
      assertThat(cli.run("drain", "b-0").err()).contains("NODE_NOT_FOUND");

      assertThat(cli.run("forget", "a-0").err()).contains("NODE_CONNECTED", "headgate drain a-0");
      assertThat(cli.run("forget", "b-0").err()).contains("NODE_NOT_FOUND");
      headgate.installation().agents().getFirst().close();
      await()
          .atMost(TestInstallation.PATIENCE)
          .until(() -> cli.run("forget", "a-0").out().startsWith("a-0 is forgotten"));
      assertThat(cli.run("nodes").out()).doesNotContain("a-0");
    }
  }

  private static Usage.OfPool onprem(TestInstallation headgate) {
    return headgate.operator().catalog(TestInstallation.TENANT).poolUsages().getFirst();
  }

  /// The lines of a plan on jobs and policies.
  private static List<String> effects(Result plan) {
    List<String> lines = plan.lines();
    int begin = lines.indexOf("Effects if applied now");
    assertThat(begin).as(plan.out() + plan.err()).isPositive();
    // An empty line and the totals follow.
    return lines.subList(begin + 1, lines.size() - 2);
  }

  private static Path file(Path directory, String name, String body) throws Exception {
    String head =
        "apiVersion: headgate/v1\nkind: Configuration\ntenant: " + TestInstallation.TENANT + "\n";
    return Files.writeString(directory.resolve(name), head + body);
  }

  /// The first worked example, with R&D's limit and DevOps' reservation as given.
  private static String configuration(int limitOfRnd, int reservationOfDevops) {
    return """
    groups:
      - {name: rnd, users: [alice]}
      - {name: devops, users: [dora]}
    pools:
      - {name: onprem, type: static}
    profiles:
      - {name: three, gpus: 3, pools: [onprem]}
      - {name: two, gpus: 2, pools: [onprem]}
    policies:
      - name: rnd
        group: rnd
        reservation: %d
        limit: %d
        queues: [{name: rnd-3, profile: three, rank: 1}]
      - name: devops
        group: devops
        reservation: %d
        limit: 9
        queues:
          - {name: devops-3, profile: three, rank: 1}
          - {name: devops-2, profile: two, rank: 1}
    """
        .formatted(Math.min(limitOfRnd, 5), limitOfRnd, reservationOfDevops);
  }
}
