package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The two worked examples of the design, with real services, agents and processes.
class WorkedExamplesIT {
  private static final String RECLAIM =
      """
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
          reservation: 5
          limit: 9
          queues: [{name: rnd-3, profile: three, rank: 1}]
        - name: devops
          group: devops
          reservation: 5
          limit: 9
          queues:
            - {name: devops-3, profile: three, rank: 1}
            - {name: devops-2, profile: two, rank: 1}
      """;

  private static final String ROUTING =
      """
      groups:
        - {name: dev, users: [dan]}
        - {name: research, users: [rita]}
      pools:
        - {name: bare-metal, type: static}
        - {name: h100, type: static}
      profiles:
        - {name: four, gpus: 4, pools: [bare-metal, h100]}
      policies:
        - name: dev
          group: dev
          reservation: 8
          limit: 16
          queues: [{name: dev-4, profile: four, rank: 1}]
        - name: research
          group: research
          reservation: 8
          limit: 16
          queues: [{name: research-4, profile: four, rank: 2}]
      """;

  @Test
  void reservationsReclaimExactlyWhatTheyNeed(@TempDir Path directory) throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory)
            .withConfiguration(RECLAIM)
            .withNode("a-0", "onprem", "10xA100")) {
      JobClient alice = headgate.jobsOf("alice");
      JobClient dora = headgate.jobsOf("dora");

      for (int i = 0; i < 5; i++) {
        alice.submit(saving("r-" + i));
        if (i < 3) {
          headgate.awaitState("r-" + i, JobState.RUNNING);
        }
      }
      headgate.await("r-3", "LIMIT", job -> reason(job).equals("LIMIT"));
      assertThat(headgate.used("rnd")).isEqualTo("9");

      dora.submit(TestInstallation.endless("d-0", "devops-3"));
      headgate.awaitState("d-0", JobState.RUNNING);
      assertThat(preemptedBy(headgate, "r-2")).isEqualTo("d-0 P1");
      Attempt victim = headgate.jobs().get("r-2").attempts().getFirst();
      assertThat(victim.checkpointTime()).isBetween(victim.startTime(), victim.endTime());
      assertThat(victim.progress())
          .returns(0.4, Attempt.Progress::fraction)
          .returns("epoch 3", Attempt.Progress::message);

      dora.submit(TestInstallation.endless("e-0", "devops-2"));
      headgate.awaitState("e-0", JobState.RUNNING);
      assertThat(preemptedBy(headgate, "r-1")).isEqualTo("e-0 P1");

      assertThat(headgate.used("rnd")).isEqualTo("3");
      assertThat(headgate.used("devops")).isEqualTo("5");
      assertThat(states(headgate))
          .isEqualTo(
              Map.of(
                  "r-0",
                  JobState.RUNNING,
                  "d-0",
                  JobState.RUNNING,
                  "e-0",
                  JobState.RUNNING,
                  "r-1",
                  JobState.WAITING,
                  "r-2",
                  JobState.WAITING,
                  "r-3",
                  JobState.WAITING,
                  "r-4",
                  JobState.WAITING));
      // The preempted ones keep their original places.
      assertThat(List.of("r-1", "r-2", "r-3", "r-4"))
          .extracting(id -> headgate.jobs().get(id).position())
          .containsExactly(1, 2, 3, 4);
    }
  }

  @Test
  void ranksDecideWhoGetsTheFirstPool(@TempDir Path directory) throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory)
            .withConfiguration(ROUTING)
            .withNode("b-0", "bare-metal", "8xA100")
            .withNode("h-0", "h100", "8xH100")) {
      // One batch is one decision, so that ranks decide and not the order of arrival.
      List<Submission> batch = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        batch.add(TestInstallation.endless("research-" + i, "research-4"));
        batch.add(TestInstallation.endless("dev-" + i, "dev-4"));
      }
      headgate.jobs().submitAll(batch);
      for (int i = 0; i < 2; i++) {
        assertThat(nodeOf(headgate.awaitState("dev-" + i, JobState.RUNNING))).isEqualTo("b-0");
        assertThat(nodeOf(headgate.awaitState("research-" + i, JobState.RUNNING))).isEqualTo("h-0");
      }

      assertThat(headgate.used("dev")).isEqualTo("8");
      assertThat(headgate.used("research")).isEqualTo("8");
      for (String waiting : List.of("dev-2", "dev-3", "research-2", "research-3")) {
        assertThat(headgate.jobs().get(waiting).state()).isEqualTo(JobState.WAITING);
      }
    }
  }

  private static String nodeOf(Job job) {
    return job.currentAttempt().orElseThrow().placements().getFirst().node();
  }

  private static Map<String, JobState> states(TestInstallation headgate) {
    return headgate.jobs().listAll(JobFilter.ALL).stream()
        .collect(Collectors.toMap(Job::id, Job::state));
  }

  private static String reason(Job job) {
    return job.reason() == null ? "" : job.reason().code();
  }

  /// Says, when it has to go, how far it is and that it has saved its work.
  private static Submission saving(String id) {
    String callback = "echo 40/100 epoch 3 > $HEADGATE_PROGRESS; : > $HEADGATE_CHECKPOINTED";
    return new Submission(
        JobSpec.of("rnd-3", List.of("sleep", "3600"))
            .withAbortCallback(new JobSpec.AbortCallback(List.of("sh", "-c", callback), null)),
        id,
        null);
  }

  private static String preemptedBy(TestInstallation headgate, String id) {
    Attempt first = headgate.jobs().get(id).attempts().getFirst();
    return first.preemption() == null
        ? "nobody"
        : first.preemption().byJob() + " " + first.preemption().rule();
  }
}
