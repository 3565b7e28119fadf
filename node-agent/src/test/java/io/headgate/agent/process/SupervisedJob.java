package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.Processes;
import io.headgate.agent.core.Observation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/// One attempt under a real supervisor, for tests.
final class SupervisedJob implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final Path attempt;
  private final SupervisorLauncher launcher;
  private List<String> callback = List.of();
  private Optional<Duration> timeLimit = Optional.empty();
  private Optional<Duration> stopAfter = Optional.empty();
  private long contactBootMs = BootClock.nowMs();
  private Duration callbackTime = Duration.ofSeconds(10);
  private Duration grace = Duration.ofSeconds(10);
  private Optional<Path> cgroup = Optional.empty();
  private Walls walls = Walls.NONE;
  private SupervisorSpec.Logs logs = new SupervisorSpec.Logs(1 << 20, 4);
  private Path directory;
  private final TreeMap<String, String> environment =
      new TreeMap<>(Map.of("PATH", "/usr/bin:/bin", "HEADGATE_JOB", "tenants/t/jobs/j"));

  SupervisedJob(Path root) throws IOException {
    this(root, root);
  }

  SupervisedJob(Path programs, Path root) throws IOException {
    this.launcher = new SupervisorLauncher(SupervisorBinary.extract(programs));
    this.attempt = Files.createTempDirectory(root, "attempt");
    this.directory = attempt;
  }

  SupervisedJob callback(String script) {
    callback = List.of("bash", "-c", script);
    return this;
  }

  SupervisedJob callbackTime(Duration time) {
    callbackTime = time;
    return this;
  }

  SupervisedJob environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  SupervisedJob timeLimit(Duration limit) {
    timeLimit = Optional.of(limit);
    return this;
  }

  SupervisedJob stopAfter(Duration time) {
    stopAfter = Optional.of(time);
    return this;
  }

  SupervisedJob lastContact(Duration ago) {
    contactBootMs = BootClock.nowMs() - ago.toMillis();
    return this;
  }

  SupervisedJob grace(Duration time) {
    grace = time;
    return this;
  }

  SupervisedJob cgroup(Path path) {
    cgroup = Optional.of(path);
    return this;
  }

  SupervisedJob walls(Walls built) {
    walls = built;
    return this;
  }

  SupervisedJob logs(long segmentBytes, int segments) {
    logs = new SupervisorSpec.Logs(segmentBytes, segments);
    return this;
  }

  SupervisedJob directory(Path path) {
    directory = path;
    return this;
  }

  SupervisorLauncher.Result launch(String script) throws IOException, InterruptedException {
    return launch(List.of("bash", "-c", script));
  }

  SupervisorLauncher.Result launch(List<String> command) throws IOException, InterruptedException {
    spec(command).writeTo(attempt);
    return launcher.launch(attempt);
  }

  SupervisorLauncher.Result launchAgain() throws IOException, InterruptedException {
    return launcher.launch(attempt);
  }

  /// Starts the script and expects that to work.
  SupervisedJob run(String script) throws IOException, InterruptedException {
    assertThat(launch(script)).isInstanceOf(SupervisorLauncher.Result.Started.class);
    return this;
  }

  SupervisorLink link() throws IOException {
    return SupervisorLink.connect(attempt, OptionalInt.empty());
  }

  SupervisorStatus status() {
    try {
      return SupervisorStatus.read(attempt).orElseThrow();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  Observation.Ending awaitEnd() {
    await().atMost(PATIENCE).until(() -> status().observation().ending().isPresent());
    return status().observation().ending().orElseThrow();
  }

  void awaitOutput(String expected) {
    await().atMost(PATIENCE).until(() -> output(AttemptLogs.Stream.STDOUT).contains(expected));
  }

  String output(AttemptLogs.Stream stream) throws IOException {
    StringBuilder text = new StringBuilder();
    try (AttemptLogs opened = AttemptLogs.open(attempt).orElseThrow()) {
      long offset = 0;
      for (var piece = opened.read(stream, offset, 65536);
          piece.isPresent();
          piece = opened.read(stream, offset, 65536)) {
        offset = piece.get().endOffset();
        text.append(StandardCharsets.UTF_8.decode(piece.get().bytes()));
      }
    }
    return text.toString();
  }

  String output() throws IOException {
    return output(AttemptLogs.Stream.STDOUT);
  }

  /// Kills the job if it still runs, and waits until none of its processes writes here or keeps a
  /// disk busy.
  @Override
  public void close() throws IOException {
    Optional<SupervisorStatus> started = SupervisorStatus.read(attempt);
    if (started.isEmpty()) {
      return;
    }
    long supervisor = started.get().supervisorPid();
    if (AttemptLock.isHeld(attempt)) {
      ProcessHandle.of(supervisor).ifPresent(ProcessHandle::destroyForcibly);
    }
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(() ->
            !AttemptLock.isHeld(attempt)
                && !Processes.isAlive(supervisor)
                && !Processes.isAlive(started.get().jobPid()));
  }

  private SupervisorSpec spec(List<String> command) {
    return new SupervisorSpec(
        command,
        environment,
        callback,
        attempt.resolve("on-abort"),
        directory,
        Optional.empty(),
        cgroup,
        BootClock.bootId(),
        walls,
        new SupervisorSpec.Limits(
            timeLimit, stopAfter, contactBootMs, callbackTime, callbackTime, grace),
        logs);
  }
}
