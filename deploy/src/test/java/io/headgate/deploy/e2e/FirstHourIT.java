package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.InstallationConfig;
import io.headgate.deploy.e2e.LiveCli.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The mistakes of a new user's first jobs, and what the command says about each.
class FirstHourIT {
  @TempDir private Path directory;
  private TestInstallation headgate;
  private LiveCli cli;
  private Path home;

  @BeforeEach
  void start() throws Exception {
    home = Files.createDirectory(directory.resolve("home"));
    headgate =
        TestInstallation.start(InstallationConfig.of(directory.resolve("data"), 0))
            .withConfiguration(
                """
                groups: [{name: team, users: [ada]}]
                pools: [{name: local, type: static}]
                profiles: [{name: cpu, gpus: 0, pools: [local]}]
                policies:
                  - {name: team, group: team, limit: 1, queues: [{name: cpu, profile: cpu}]}
                """)
            .withNode("n1", "local", "1xH100");
    cli = LiveCli.of(headgate);
  }

  @AfterEach
  void stop() {
    if (headgate != null) {
      headgate.close();
    }
  }

  @Test
  void hearsAtOnceThatJobsDoNotSeeTheFileAndFindsItsErrorInEveryView() throws Exception {
    Path script = Files.writeString(home.resolve("train.sh"), "echo trained\n");
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
    boolean walled = isWalled();

    Result submitted =
        cli.run("submit", "-q", "cpu", "--name", "train", "--wait", "--", "sh", script.toString());
    if (!walled) {
      assertThat(submitted.exitCode()).as("without walls, jobs see all files").isZero();
      assertThat(submitted.err()).doesNotContain("warning");
      return;
    }
    assertThat(submitted.err())
        .contains("warning: jobs do not see " + script, "headgate up --share DIR", "--workdir DIR");
    assertThat(submitted.exitCode()).as("the shell's own").isNotZero();
    assertThat(submitted.err()).as("wait shows its error").contains("its last lines", "train.sh");
    assertThat(cli.run("explain", "train-1").out()).contains("its last lines", "train.sh");
    assertThat(cli.run("jobs", "train-1").out()).contains("its last lines", "train.sh");
  }

  @Test
  void isNotWarnedAboutFilesThatJobsSee() {
    Result submitted =
        cli.run("submit", "-q", "cpu", "--wait", "--", "/bin/sh", "-c", "cat $0", "/etc/hosts");

    assertThat(submitted.exitCode()).as(submitted.err()).isZero();
    assertThat(submitted.err()).doesNotContain("warning");
  }

  @Test
  void aMissingProgramFailsWithinASecondAndSaysWhereItWasLookedFor() {
    long begun = System.nanoTime();
    Result submitted =
        cli.run("submit", "-q", "cpu", "--name", "typo", "--wait", "--", "no-such-program");
    Duration took = Duration.ofNanos(System.nanoTime() - begun);

    assertThat(submitted.exitCode()).isEqualTo(127);
    assertThat(submitted.err())
        .contains(
            "warning: program not found: no-such-program; jobs search PATH /usr/",
            "typo-1 failed: program not found: no-such-program; searched PATH /usr/");
    var attempt = headgate.jobs().get("typo-1").attempts().getFirst();
    assertThat(Duration.between(attempt.assignTime(), attempt.endTime()))
        .as("from its place to its end; all of it took %s", took)
        .isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void hearsThatOneQuotedWordIsOneProgram() {
    Result submitted = cli.run("submit", "-q", "cpu", "--", "python3 train.py");

    assertThat(submitted.exitCode()).isZero();
    assertThat(submitted.err())
        .contains("\"python3 train.py\" is one word", "leave out its quotes: -- python3 train.py");
  }

  private boolean isWalled() {
    return cli.run("nodes", "-o", "json").out().contains("\"ownUsers\": true");
  }
}
