package io.headgate.agent.process;

import io.headgate.agent.core.Observation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// The state that a supervisor has recorded, read from its `status` file.
///
/// @param version rises with every change
/// @param bootId the run of the kernel in which it was written
/// @param supervisorPid process id of the supervisor
/// @param jobPid process id of the program, also its process group and session
/// @param jobStartTicks with the pid, the program's identity
/// @param inCgroup whether the job has a cgroup of its own
public record SupervisorStatus(
    long version,
    String bootId,
    long supervisorPid,
    long jobPid,
    long jobStartTicks,
    boolean inCgroup,
    Observation observation) {

  /// Whether there is one, whatever it says: the program was started.
  public static boolean isThere(Path attempt) {
    return Files.exists(attempt.resolve("status"), LinkOption.NOFOLLOW_LINKS);
  }

  /// Reads it; empty when the program was never started.
  ///
  /// @throws IOException also when the file is not understood: nothing is guessed about a job
  public static Optional<SupervisorStatus> read(Path attempt) throws IOException {
    Map<String, String> values;
    try {
      values = KeyValues.read(attempt, "status");
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new SupervisorStatus(
              number(values, "version"),
              KeyValues.require(values, "boot_id"),
              number(values, "supervisor_pid"),
              number(values, "pid"),
              number(values, "pid_start_ticks"),
              number(values, "cgroup") == 1,
              new Observation(
                  Instant.ofEpochMilli(number(values, "started_ms")),
                  stop(values),
                  ending(values))));
    } catch (IOException | NumberFormatException e) {
      throw new IOException("status of " + attempt + " is not understood: " + e.getMessage(), e);
    }
  }

  private static Optional<Observation.StopProgress> stop(Map<String, String> values) {
    @Nullable String reason = values.get("stop_reason");
    if (reason == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Observation.StopProgress(
            reason, callback(values), instant(values, "term_ms"), instant(values, "kill_ms")));
  }

  private static Optional<Observation.CallbackRun> callback(Map<String, String> values) {
    return instant(values, "callback_started_ms")
        .map(started ->
            new Observation.CallbackRun(
                started,
                Optional.ofNullable(values.get("callback_duration_ms"))
                    .map(Long::parseLong)
                    .map(Duration::ofMillis),
                Optional.ofNullable(values.get("callback_cut")),
                exitCode(values, "callback")));
  }

  private static Optional<Observation.Ending> ending(Map<String, String> values)
      throws IOException {
    Optional<Instant> at = instant(values, "exit_ms");
    if (at.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Observation.Ending(
            at.get(),
            KeyValues.require(values, "exit_reason"),
            exitCode(values, "exit"),
            Optional.ofNullable(values.get("error"))));
  }

  /// An exit code as a shell shows it: 128 + signal for a program that a signal ended.
  private static OptionalInt exitCode(Map<String, String> values, String what) {
    @Nullable String code = values.get(what + "_code");
    if (code != null) {
      return OptionalInt.of(Integer.parseInt(code));
    }
    @Nullable String signal = values.get(what + "_signal");
    return signal == null ? OptionalInt.empty() : OptionalInt.of(128 + Integer.parseInt(signal));
  }

  private static Optional<Instant> instant(Map<String, String> values, String key) {
    return Optional.ofNullable(values.get(key)).map(Long::parseLong).map(Instant::ofEpochMilli);
  }

  private static long number(Map<String, String> values, String key) throws IOException {
    return Long.parseLong(KeyValues.require(values, key));
  }
}
