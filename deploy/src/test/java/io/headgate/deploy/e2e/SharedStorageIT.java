package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Agents as processes, of which two share a storage that their pool names, and one lacks it.
class SharedStorageIT {
  private static final String CONFIGURATION =
      """
      groups: [{name: team, users: [ada]}]
      pools:
        - {name: stored, storage: shared, instance: {gpus: 1}}
      profiles: [{name: one, gpus: 1, pools: [stored]}]
      policies:
        - name: team
          group: team
          limit: 4
          queues: [{name: one, profile: one}]
      """;

  @TempDir private Path directory;
  private Path shared;
  private TestInstallation headgate;
  private AgentProcesses agents;

  @BeforeEach
  void start() throws Exception {
    shared = Files.createDirectories(directory.resolve("mnt/shared"));
    headgate =
        TestInstallation.start(Files.createDirectory(directory.resolve("up")))
            .withConfiguration(CONFIGURATION);
    agents =
        new AgentProcesses(
            headgate.installation().uri(),
            List.of(headgate.installation().uri()),
            Files.createDirectories(directory.resolve("agents")),
            List.of(),
            node ->
                node.equals("bare")
                    ? Map.of()
                    : Map.of("HEADGATE_AGENT_STORAGES", "shared=" + shared));
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (agents != null) {
      agents.end();
    }
    if (headgate != null) {
      headgate.close();
    }
  }

  private void add(String node, String gpus) throws IOException {
    agents.add(headgate.operator(), node, "stored", gpus);
  }

  private void submit(String id, String script) {
    headgate
        .jobs()
        .submit(new Submission(JobSpec.of("one", List.of("bash", "-c", script)), id, null));
  }

  private List<String> cli(String... words) {
    LiveCli.Result result = LiveCli.of(headgate).run(words);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.lines();
  }

  private static String node(Attempt attempt) {
    return attempt.placements().getFirst().node();
  }

  @Test
  void aJobThatMovesFindsItsCheckpointAndANodeWithoutTheStorageGetsNone() throws Exception {
    add("bare", "1xH100");
    submit(
        "train",
        """
        if [ "$HEADGATE_RESUME" = 1 ]; then
          echo "resumed at $(cat $HEADGATE_CHECKPOINT_DIR/epoch)" > $HEADGATE_CHECKPOINT_DIR/seen
        fi
        echo 17 > $HEADGATE_CHECKPOINT_DIR/epoch
        exec sleep 3600
        """);
    await()
        .atMost(TestInstallation.PATIENCE)
        .until(() ->
            String.join("\n", cli("explain", "train"))
                .contains("1 node of stored gets no work without its storage shared"));
    assertThat(cli("nodes", "bare")).anyMatch(line -> line.matches("state +no storage"));
    assertThat(headgate.jobs().get("train").attempts()).isEmpty();

    add("a-0", "1xH100");
    Job first = headgate.awaitState("train", JobState.RUNNING);
    assertThat(node(first.attempts().getFirst())).isEqualTo("a-0");
    Path checkpoints = shared.resolve(TestInstallation.TENANT).resolve("train");
    await()
        .atMost(TestInstallation.PATIENCE)
        .until(() -> Files.exists(checkpoints.resolve("epoch")));

    add("a-1", "1xH100");
    var _ = headgate.operator().catalog(TestInstallation.TENANT).drain("a-0", "power");
    headgate.jobs().requeue("train");
    Job again =
        headgate.await(
            "train", "run again", job -> job.attempt() == 2 && job.state() == JobState.RUNNING);
    assertThat(node(again.attempts().getLast())).isEqualTo("a-1");
    await()
        .atMost(TestInstallation.PATIENCE)
        .until(() -> Files.exists(checkpoints.resolve("seen")));
    assertThat(checkpoints.resolve("seen")).hasContent("resumed at 17\n");
    headgate.jobs().cancel("train");
    headgate.awaitState("train", JobState.CANCELLED);
  }

  @Test
  void aNodeThatClaimsMoreThanItsStaticPoolStatesGetsNoJob() throws Exception {
    add("liar", "64xH100");
    assertThat(cli("nodes", "liar"))
        .anyMatch(line -> line.matches("state +quarantine"))
        .anyMatch(line -> line.contains("it reports 64 GPUs; an instance of its pool has 1"));
    add("honest", "1xH100");
    for (String job : List.of("bait-1", "bait-2", "bait-3")) {
      submit(job, "true");
    }
    for (String job : List.of("bait-1", "bait-2", "bait-3")) {
      Job done = headgate.awaitState(job, JobState.DONE);
      assertThat(node(done.attempts().getLast())).isEqualTo("honest");
    }
    assertThat(directory.resolve("agents/liar/attempts")).isEmptyDirectory();
  }
}
