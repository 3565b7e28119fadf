package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Gangs on two agents in [Namespaces], as a program, because it takes a process with a network for
/// itself.
final class GangSequence {
  private static final String CONFIGURATION =
      """
      groups: [{name: team, users: [ada]}]
      pools:
        - {name: pairs, instance: {gpus: 1}}
      profiles: [{name: pair, gpus: 1, workers: 2, pools: [pairs]}]
      policies:
        - name: team
          group: team
          limit: 4
          queues: [{name: two-workers, profile: pair}]
      """;
  private static final List<String> NODES = List.of("n-0", "n-1");

  private final TestInstallation headgate;
  private final AgentProcesses agents;

  private GangSequence(TestInstallation headgate, AgentProcesses agents) {
    this.headgate = headgate;
    this.agents = agents;
  }

  /// @param words a directory
  public static void main(String[] words) {
    try {
      play(Path.of(words[0]));
      // Threads of libraries must not keep the process.
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void play(Path directory) throws Exception {
    Namespaces network = Namespaces.on(directory.resolve("network"));
    TestInstallation headgate =
        TestInstallation.start(Files.createDirectory(directory.resolve("up")))
            .withConfiguration(CONFIGURATION);
    URI services = network.services(headgate.installation().uri());
    AgentProcesses agents =
        new AgentProcesses(
            services,
            List.of(services),
            Files.createDirectories(directory.resolve("agents")),
            List.of(),
            network::ofAgent);
    try {
      for (String node : NODES) {
        agents.add(headgate.operator(), node, "pairs", "1xH100");
      }
      GangSequence gangs = new GangSequence(headgate, agents);
      gangs.addsAcrossNodes();
      gangs.namesTheWorkerThatFailedFirst();
      gangs.startsOnceThoughAnAgentIsKilledAtTheBarrier(directory);
    } finally {
      agents.end();
      headgate.close();
    }
  }

  private void submit(String id, String... command) {
    headgate.jobs().submit(new Submission(JobSpec.of("two-workers", List.of(command)), id, null));
  }

  private List<String> cli(String... words) {
    LiveCli.Result result = LiveCli.of(headgate).run(words);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.lines();
  }

  private void addsAcrossNodes() throws IOException {
    String program = Files.readString(Path.of("examples/distributed/allreduce.py"));
    submit("sum", "python3", "-c", program);
    headgate.awaitState("sum", JobState.DONE);
    for (int worker : List.of(0, 1)) {
      assertThat(cli("logs", "sum", "--worker", Integer.toString(worker)))
          .anyMatch(line ->
              line.matches(
                  "rank %d of 2, master 10\\.77\\.0\\.2[12], by (sockets|torch): sum 3"
                      .formatted(worker)));
    }
  }

  private void namesTheWorkerThatFailedFirst() {
    submit("bad", "bash", "-c", "[ $RANK = 0 ] && exec sleep 3600; exit 3");
    headgate.awaitState("bad", JobState.FAILED);
    assertThat(String.join("\n", cli("jobs", "bad")))
        .containsPattern("worker 1 on n-[01] failed first, with exit code 3");
  }

  /// The agent of one node is frozen, so its worker is not prepared. The other agent is killed
  /// while its worker waits for it.
  private void startsOnceThoughAnAgentIsKilledAtTheBarrier(Path directory) throws Exception {
    ProcessHandle frozen = agents.process("n-1");
    signal(frozen, "STOP");
    submit("late", "bash", "-c", "echo start $RANK; sleep 1");
    Path attempts = directory.resolve("agents/n-0/attempts");
    await().atMost(TestInstallation.PATIENCE).until(() -> isPrepared(attempts));
    ProcessHandle killed = agents.process("n-0");
    killed.destroyForcibly();
    AgentProcesses.awaitConnected(headgate.operator(), "n-0");
    assertThat(headgate.jobs().get("late").state()).isEqualTo(JobState.ASSIGNED);
    signal(frozen, "CONT");
    headgate.awaitState("late", JobState.DONE);
    assertThat(headgate.jobs().get("late").attempts()).hasSize(1);
    for (int worker : List.of(0, 1)) {
      assertThat(cli("logs", "late", "--worker", Integer.toString(worker)))
          .containsOnlyOnce("start " + worker);
    }
  }

  private static boolean isPrepared(Path attempts) throws IOException {
    try (Stream<Path> all = Files.list(attempts)) {
      return all.anyMatch(attempt ->
          attempt.getFileName().toString().contains("late")
              && Files.exists(attempt.resolve("address")));
    }
  }

  private static void signal(ProcessHandle process, String signal)
      throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    assertThat(code).isZero();
  }
}
