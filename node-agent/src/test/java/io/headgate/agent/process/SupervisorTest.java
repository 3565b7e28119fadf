package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.Processes;
import io.headgate.agent.core.Observation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The promises of a supervisor about how a job starts, ends and outlives the agent.
class SupervisorTest {
  private static final long MAX_RESIDENT_KIB = 2048;

  @TempDir Path root;
  private SupervisedJob job;

  @BeforeEach
  void makeJob() throws IOException {
    job = new SupervisedJob(root);
  }

  @AfterEach
  void endJob() throws IOException {
    job.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 127, 255})
  void reportsExitCodesExactly(int code) throws Exception {
    Observation.Ending end = job.run("exit " + code).awaitEnd();

    assertThat(end.reason()).isEqualTo("exited");
    assertThat(end.exitCode()).hasValue(code);
    assertThat(job.status().observation().stop()).isEmpty();
  }

  @Test
  void reportsAFatalSignalAsAShellDoes() throws Exception {
    Observation.Ending end = job.run("kill -SEGV $$").awaitEnd();

    assertThat(end.reason()).isEqualTo("exited");
    assertThat(end.exitCode()).hasValue(128 + 11);
  }

  @Test
  void saysWhyAProgramCannotStart() throws Exception {
    job.launch(List.of("no-such-program"));
    Observation.Ending end = job.awaitEnd();

    assertThat(end.reason()).isEqualTo("start-failed");
    assertThat(end.error().orElseThrow())
        .startsWith("program not found: no-such-program; searched PATH /");
    assertThat(end.exitCode()).isEqualTo(OptionalInt.empty());
  }

  @Test
  void saysInWhichDirectoryItLookedForAProgram() throws Exception {
    job.directory(root).launch(List.of("./train.py"));

    assertThat(job.awaitEnd().error())
        .hasValue("program not found: ./train.py; searched directory " + root);
  }

  @Test
  void saysThatTheInterpreterOfAScriptIsMissing() throws Exception {
    Path script = Files.writeString(root.resolve("train.py"), "#!/no/python\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    job.launch(List.of(script.toString()));

    assertThat(job.awaitEnd().error())
        .hasValue("program not found: the interpreter that " + script + " names");
  }

  @Test
  void saysWhichDirectoryIsMissing() throws Exception {
    job.directory(Path.of("/no/such/directory")).run("true");

    assertThat(job.awaitEnd().error())
        .hasValue("cannot enter /no/such/directory: No such file or directory");
  }

  @Test
  void capturesBothStreamsAndGivesTheJobACleanStart() throws Exception {
    job.run(
        """
        echo out; echo err >&2; pwd; cat; env | sort
        grep -E '^(SigBlk|SigIgn|NoNewPrivs)' /proc/self/status
        for f in {0..30}; do [ -e /proc/$$/fd/$f ] && echo descriptor $f; done
        """);
    job.awaitEnd();

    assertThat(job.output(AttemptLogs.Stream.STDERR)).isEqualTo("err\n");
    assertThat(job.output())
        .startsWith("out\n" + job.attempt + "\n")
        .contains("HEADGATE_JOB=tenants/t/jobs/j\n")
        .contains("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nNoNewPrivs:\t1\n")
        .contains("descriptor 0\ndescriptor 1\ndescriptor 2\n")
        .doesNotContain("descriptor 3")
        .doesNotContain("LD_")
        .doesNotContain("JAVA");
  }

  /// Words with characters that a shell, a format, an option parser or the specification may
  /// interpret.
  private static Stream<String> words() {
    String touch = "touch canary";
    Random random = new Random(20261123);
    return Stream.concat(
        Stream.of(
            "$(" + touch + ")",
            "`" + touch + "`",
            "; " + touch,
            "\n" + touch + "\n",
            "' ; " + touch + " '",
            "\" && " + touch + " #",
            "> canary",
            "--",
            "-c",
            "",
            " ",
            "%s%n",
            "\\",
            "*",
            "~",
            "a=b",
            "\r\npid=1\n",
            "\u0001\u001b[2J\u007f",
            "é漢😀"),
        Stream.generate(() ->
                random
                    .ints(random.nextInt(20), 1, 0x3000)
                    .map(point -> random.nextBoolean() ? point % 0x7f + 1 : point)
                    .collect(
                        StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString())
            .limit(300));
  }

  @Test
  void passesOnWhateverWordsAJobHasAndObeysNone() throws Exception {
    List<String> words = words().toList();
    List<String> command =
        new ArrayList<>(
            List.of(
                "/usr/bin/python3",
                "-c",
                """
                import os, sys
                words = [os.fsencode(word) for word in sys.argv[1:]]
                words += [os.environb[b"W%d" % i] for i in range(len(words))]
                sys.stdout.buffer.write(b"".join(word + b"\\0" for word in words))
                """));
    command.addAll(words);
    for (int i = 0; i < words.size(); i++) {
      job.environment("W" + i, words.get(i));
    }
    job.launch(command);
    assertThat(job.awaitEnd().exitCode()).hasValue(0);

    String said = Stream.concat(words.stream(), words.stream()).collect(Collectors.joining("\0"));
    assertThat(job.output()).isEqualTo(said + "\0");
    try (Stream<Path> files = Files.walk(root)) {
      assertThat(files).noneMatch(file -> file.endsWith("canary"));
    }
  }

  @Test
  void leavesNoDaemonBehind() throws Exception {
    job.run(
        """
        (setsid bash -c '(trap "" TERM HUP; echo $BASHPID > daemon; exec sleep 1000) &' &)
        until [ -s daemon ]; do :; done
        exit 3
        """);
    Observation.Ending end = job.awaitEnd();

    assertThat(end.exitCode()).hasValue(3);
    assertThat(isAlive(job.attempt.resolve("daemon"))).isFalse();
  }

  @Test
  void startsAnAttemptOnceHoweverManyTry() throws Exception {
    job.run("echo started >> starts; exit 0").awaitEnd();
    assertThat(job.launchAgain()).isInstanceOf(SupervisorLauncher.Result.AlreadyStarted.class);

    try (SupervisedJob contested = new SupervisedJob(root)) {
      startsOnceHoweverManyTry(contested);
    }
  }

  private static void startsOnceHoweverManyTry(SupervisedJob contested) throws Exception {
    contested.launch(List.of("/dev/null/not-run"));
    contested.awaitEnd();
    Files.delete(contested.attempt.resolve("status"));
    await().atMost(SupervisedJob.PATIENCE).until(() -> !AttemptLock.isHeld(contested.attempt));
    Files.writeString(
        contested.attempt.resolve("argv"),
        "bash\0-c\0echo started >> starts; read -t 0.3 <> <(:)\0");
    List<Callable<SupervisorLauncher.Result>> tries = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tries.add(contested::launchAgain);
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<SupervisorLauncher.Result> results = new ArrayList<>();
      for (Future<SupervisorLauncher.Result> result : threads.invokeAll(tries)) {
        results.add(result.get());
      }
      assertThat(results)
          .filteredOn(SupervisorLauncher.Result.Started.class::isInstance)
          .hasSize(1);
    }
    contested.awaitEnd();
    assertThat(Files.readString(contested.attempt.resolve("starts"))).isEqualTo("started\n");
  }

  @Test
  void startsNothingThatWasGivenUpBeforeItsLauncherCame() throws Exception {
    Files.createFile(job.attempt.resolve("refused"));

    assertThat(job.launch("touch ran"))
        .isInstanceOf(SupervisorLauncher.Result.AlreadyStarted.class);
    assertThat(SupervisorStatus.read(job.attempt)).isEmpty();
    assertThat(job.attempt.resolve("ran")).doesNotExist();
  }

  @Test
  void letsNothingBeDoneUnderTheLockOfASupervisorThatLives() throws Exception {
    job.run("echo running; exec sleep 1000");
    assertThat(AttemptLock.runIfFree(job.attempt, () -> true)).isFalse();
    job.close();
    assertThat(AttemptLock.runIfFree(job.attempt, () -> true)).isTrue();
    assertThat(AttemptLock.runIfFree(job.attempt, () -> false)).isFalse();
  }

  @Test
  void doesNotGuessWhatBecameOfASupervisorThatDiedWhileItStarted() throws Exception {
    Path program = Files.writeString(root.resolve("dies"), "#!/bin/sh\nexit 70\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));

    assertThatIOException()
        .isThrownBy(() -> new SupervisorLauncher(program).launch(job.attempt))
        .withMessageContaining("ended with 70");
  }

  @Test
  void isPutOnDiskAgainWhenACrashHasCutItOff() throws Exception {
    Path program = SupervisorBinary.extract(root);
    byte[] whole = Files.readAllBytes(program);
    Files.write(program, new byte[0]);

    assertThat(SupervisorBinary.extract(root)).isEqualTo(program).hasBinaryContent(whole);
    assertThat(Files.getPosixFilePermissions(program))
        .isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void refusesToStartAfterTooLongWithoutContact() throws Exception {
    SupervisorLauncher.Result result =
        job.stopAfter(Duration.ofSeconds(30))
            .lastContact(Duration.ofSeconds(31))
            .launch("touch ran");

    assertThat(result).isInstanceOf(SupervisorLauncher.Result.TooLate.class);
    assertThat(job.attempt.resolve("ran")).doesNotExist();
    assertThat(SupervisorStatus.read(job.attempt)).isEmpty();
  }

  @Test
  void staysSmallAndAlone() throws Exception {
    job.run("for i in {1..20000}; do echo some output of a job; done; echo done; exec sleep 1000");
    job.awaitOutput("done\n");

    long pid = job.status().supervisorPid();
    String memory = Files.readString(Path.of("/proc/" + pid + "/status"));
    assertThat(field(memory, "VmHWM")).isLessThanOrEqualTo(MAX_RESIDENT_KIB);
    assertThat(field(memory, "Threads")).isEqualTo(1);
  }

  @Test
  void takesTheJobWithItWhenItIsKilled() throws Exception {
    job.run("echo running; exec sleep 1000");
    job.awaitOutput("running");
    SupervisorStatus status = job.status();
    ProcessHandle.of(status.supervisorPid()).orElseThrow().destroyForcibly();

    await().atMost(SupervisedJob.PATIENCE).until(() -> !Processes.isAlive(status.jobPid()));
    assertThat(job.status().observation().ending()).isEmpty();
    assertThat(AttemptLock.isHeld(job.attempt)).isFalse();
  }

  @Test
  void letsALaterAgentTakeTheControlOver() throws Exception {
    job.run("echo running; exec sleep 1000");
    try (SupervisorLink first = job.link();
        SupervisorLink second = job.link()) {
      second.stop("preempted", Duration.ZERO, Duration.ofSeconds(10));
      assertThat(job.awaitEnd().exitCode()).hasValue(128 + 15);
      assertThat(first).isNotNull();
    }
  }

  @Test
  void worksInADirectoryWithAVeryLongPath() throws Exception {
    Path deep = root;
    for (int i = 0; i < 5; i++) {
      deep = Files.createDirectory(deep.resolve("a-rather-long-name-of-a-directory-" + i));
    }
    try (SupervisedJob far = new SupervisedJob(deep)) {
      far.run("echo running; exec sleep 1000");
      try (SupervisorLink link = far.link()) {
        link.kill("cancelled");
        assertThat(far.awaitEnd().exitCode()).hasValue(128 + 9);
      }
    }
  }

  /// Whether the process whose number the file holds is alive.
  static boolean isAlive(Path file) throws IOException {
    return Processes.isAlive(Long.parseLong(Files.readString(file).strip()));
  }

  private static long field(String status, String name) {
    return status
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
