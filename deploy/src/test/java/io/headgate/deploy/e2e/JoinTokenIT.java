package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.e2e.LiveCli.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A new user's second machine joins with the command that `headgate join-token` prints.
class JoinTokenIT {
  @TempDir private Path directory;
  private TestInstallation headgate;
  private LiveCli cli;

  @BeforeEach
  void start() throws Exception {
    headgate =
        TestInstallation.start(directory.resolve("data"))
            .withConfiguration(
                """
                groups: [{name: team, users: [ada]}]
                pools: [{name: local, type: static}]
                profiles: [{name: one, gpus: 1, pools: [local]}]
                policies:
                  - name: team
                    group: team
                    reservation: 1
                    limit: 2
                    queues: [{name: one, profile: one}]
                """)
            .withNode("sim-0", "local", "2xH100");
    cli = LiveCli.of(headgate);
  }

  @AfterEach
  void stop() {
    headgate.close();
  }

  @Test
  void theCommandOfAJoinTokenWorksAsPrinted() throws Exception {
    Result made = cli.run("join-token", "local");
    Path machine = Files.createDirectory(directory.resolve("machine"));
    Files.writeString(machine.resolve("join.token"), made.out());
    String printed =
        made.err()
            .lines()
            .filter(line -> line.startsWith("headgate-agent "))
            .findFirst()
            .orElseThrow();

    // In a checkout deploy/ is in PATH; the agent of an archive has the same name.
    Process agent = agent(machine, printed);
    try {
      await()
          .atMost(TestInstallation.PATIENCE)
          .untilAsserted(() ->
              assertThat(cli.run("nodes", "-o", "name").lines())
                  .as(() -> text(machine.resolve("log")))
                  .hasSize(2));
    } finally {
      agent.descendants().forEach(ProcessHandle::destroy);
      agent.destroy();
      assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Process agent(Path machine, String command) throws Exception {
    String here = command.replace("/var/lib/headgate", machine.resolve("data").toString());
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", "exec " + here)
            .directory(machine.toFile())
            .redirectErrorStream(true)
            .redirectOutput(machine.resolve("log").toFile());
    Map<String, String> variables = builder.environment();
    variables.put("PATH", Path.of("").toAbsolutePath() + ":" + variables.get("PATH"));
    variables.put("JAVA_HOME", System.getProperty("java.home"));
    variables.put("HEADGATE_AGENT_SIMULATE_GPUS", "1xH100");
    return builder.start();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
