package io.headgate.agent.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// An attempt that the scheduler assigned to this machine.
///
/// @param workers workers of the gang
/// @param cpuMillis thousandths of a core; 0: unlimited
/// @param memoryBytes main memory; 0: unlimited
/// @param environment the job's own, without Headgate's
/// @param workingDirectory absolute; empty: a private directory of the attempt
/// @param grace time between SIGTERM and SIGKILL
/// @param stopAfter how long it runs on without contact; empty: for ever
/// @param traceparent W3C trace context; may be empty
/// @param resume an earlier attempt ran
/// @param user the submitter
/// @param container empty: it runs among the files of the machine
/// @param storage that holds its checkpoints, by the name in the settings; empty: the agent's own
///   directory
/// @param startBarrier it starts only once all workers of its gang are prepared
public record Assignment(
    AttemptKey key,
    int workers,
    String queue,
    List<SliceGrant> slices,
    long cpuMillis,
    long memoryBytes,
    List<String> command,
    SortedMap<String, String> environment,
    Optional<String> workingDirectory,
    Optional<Duration> timeLimit,
    AbortCallback abortCallback,
    Duration grace,
    Optional<Duration> stopAfter,
    String traceparent,
    boolean resume,
    IsolationLevel minimumIsolation,
    String user,
    Optional<Container> container,
    Optional<String> storage,
    boolean startBarrier) {
  public Assignment {
    slices = List.copyOf(slices);
    command = List.copyOf(command);
    environment = new TreeMap<>(environment);
    if (command.isEmpty() || command.getFirst().isEmpty()) {
      throw new IllegalArgumentException("the command is empty; name a program");
    }
    requireNoNul("command", command);
    requireNoNul("abort command", abortCallback.command());
    requireNoNul("environment", environment.values());
    for (String name : environment.keySet()) {
      if (!isEnvironmentName(name)) {
        throw new IllegalArgumentException(
            "environment name '" + name + "' must have letters, digits and _ only, no digit first");
      }
    }
    workingDirectory.ifPresent(Assignment::requireDirectory);
    if (workers < 1 || key.worker() >= workers) {
      throw new IllegalArgumentException(
          "worker " + key.worker() + " of " + workers + " does not exist");
    }
    if (grace.isNegative()) {
      throw new IllegalArgumentException("negative grace " + grace);
    }
  }

  /// The GPU quantity of its slices, in 1/126000.
  public long units() {
    return slices.stream().mapToLong(slice -> slice.gpus().units()).sum();
  }

  /// How its supervisor stops it by itself, so that nothing of it lives any more `stopAfter` after
  /// the last contact: from then on it may run elsewhere.
  ///
  /// Example: with a stopAfter of 40 min, a callback of 3 min and 10 s of grace the stop begins
  /// after 36 min 50 s. At least half of the time is the job's; a callback that does not fit into
  /// the rest is cut.
  public SelfStop selfStop() {
    Duration wished = abortCallback.command().isEmpty() ? Duration.ZERO : abortCallback.timeout();
    if (stopAfter.isEmpty()) {
      return new SelfStop(Optional.empty(), wished, grace);
    }
    Duration room = stopAfter.get().dividedBy(2);
    Duration lastGrace = shorter(grace, room);
    Duration callback = shorter(wished, room.minus(lastGrace));
    return new SelfStop(
        Optional.of(stopAfter.get().minus(lastGrace).minus(callback)), callback, lastGrace);
  }

  /// A stop that the supervisor begins.
  ///
  /// @param after the last contact; empty: never
  /// @param callback how long the callback may take
  /// @param grace time between SIGTERM and SIGKILL
  public record SelfStop(Optional<Duration> after, Duration callback, Duration grace) {
    /// The least time between two contacts that the supervisor is told of: one hundredth of the
    /// patience. Fewer wake-ups cost that much of the time before a stop.
    public Duration contactStep() {
      return after.orElse(NEVER).dividedBy(100);
    }

    private static final Duration NEVER = Duration.ofDays(365);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static boolean isEnvironmentName(String name) {
    boolean good = !name.isEmpty() && !(name.charAt(0) >= '0' && name.charAt(0) <= '9');
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      good &=
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    return good;
  }

  private static void requireDirectory(String directory) {
    if (!directory.startsWith("/") || directory.chars().anyMatch(c -> c < ' ')) {
      throw new IllegalArgumentException(
          "working directory '" + directory + "' must be absolute and without control characters");
    }
  }

  private static void requireNoNul(String what, Iterable<String> values) {
    for (String value : values) {
      if (value.indexOf('\0') >= 0) {
        throw new IllegalArgumentException(what + " contains a NUL character");
      }
    }
  }
}
