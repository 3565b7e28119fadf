package io.headgate.scheduler.runtime.leadership;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.core.Observation;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// A job and its supervisor, with the supervisor's rules. It survives the agent. It ends the job
/// some time after an order to stop, and by itself a fixed time after the last contact.
final class SimulatedJob {
  private static final long SAVES_EVERY_MS = 10_000;

  private final World world;
  private final SimulatedMachine machine;
  private final Assignment assignment;
  private final World.Life life;
  private final Instant startedAt;
  private long contactBootMs;
  private long endAt = Long.MAX_VALUE;
  private int exitCode;
  private long frozenLeft = -1;
  private @Nullable String stopReason;
  private @Nullable Instant termedAt;
  private Observation.@Nullable Ending ending;
  private boolean isVanished;
  private Runnable changed = () -> {};

  SimulatedJob(World world, SimulatedMachine machine, Assignment assignment, long contactBootMs) {
    this.world = world;
    this.machine = machine;
    this.assignment = assignment;
    this.life = machine.life();
    this.startedAt = machine.clock().instant();
    this.contactBootMs = contactBootMs;
  }

  AttemptKey key() {
    return assignment.key();
  }

  Assignment assignment() {
    return assignment;
  }

  /// It saves its work every ten seconds of the machine's, and advances meanwhile.
  JobProgress progress(long nowMs) {
    long savedMs = nowMs - nowMs % SAVES_EVERY_MS;
    double done = nowMs % SAVES_EVERY_MS / 1000 * 1000 / (double) SAVES_EVERY_MS;
    return new JobProgress(key(), OptionalDouble.of(done), "", savedMs, savedMs, false);
  }

  /// Whether something of it is on the machine.
  boolean isLive() {
    return ending == null && !isVanished;
  }

  Optional<Observation.Ending> ending() {
    return Optional.ofNullable(ending);
  }

  /// Begins the program; the command gives its run time and exit code.
  void begin() {
    long millis = Long.parseLong(assignment.command().get(1));
    exitCode = Integer.parseInt(assignment.command().get(2));
    endAfter(millis * World.MILLI, "exited", exitCode);
    assignment
        .timeLimit()
        .ifPresent(
            limit -> world.later(life, limit.toNanos(), () -> stop("time-limit", Duration.ZERO)));
    watchContact();
  }

  private void watchContact() {
    Assignment.SelfStop selfStop = assignment.selfStop();
    selfStop
        .after()
        .ifPresent(after -> {
          long left = contactBootMs + after.toMillis() - machine.bootMs();
          if (left <= 0) {
            stop("stop-after", selfStop.callback());
          } else {
            world.later(
                life,
                machine.clock().real(left * World.MILLI),
                () -> {
                  if (isLive() && stopReason == null) {
                    watchContact();
                  }
                });
          }
        });
  }

  void contact(long bootMs) {
    contactBootMs = Math.max(contactBootMs, Math.min(bootMs, machine.bootMs()));
  }

  /// Callback, SIGTERM, grace, SIGKILL: it ends at any time until then, often at the last moment.
  void stop(String reason, Duration callback) {
    if (!isLive()) {
      return;
    }
    boolean isFirst = stopReason == null;
    if (isFirst) {
      stopReason = reason;
      termedAt = machine.clock().instant();
      world.note(() -> machine.name() + ": " + key() + " is stopped, " + reason);
    }
    if (isFirst || callback.isZero()) {
      boolean hasCallback = !assignment.abortCallback().command().isEmpty();
      long most = (hasCallback ? callback : Duration.ZERO).plus(assignment.grace()).toNanos();
      endAfter(world.chance(0.5) ? most : world.between(0, most), stopReason, 143);
    }
    changed.run();
  }

  /// It stands still in main memory, and does not come to its end.
  void freeze() {
    frozenLeft = Math.max(0, endAt - world.now());
    endAt = Long.MAX_VALUE;
    world.note(() -> machine.name() + ": " + key() + " stands still");
  }

  boolean isFrozen() {
    return isLive() && frozenLeft >= 0;
  }

  /// It goes on, unless it is being killed.
  void thaw() {
    long left = frozenLeft;
    frozenLeft = -1;
    world.note(() -> machine.name() + ": " + key() + " goes on");
    machine.goesOn(this);
    endAfter(left, "exited", exitCode);
  }

  private void endAfter(long nanos, @Nullable String reason, int code) {
    long at = world.now() + nanos;
    if (at >= endAt) {
      return;
    }
    endAt = at;
    world.later(
        life,
        nanos,
        () -> {
          if (isLive() && at == endAt) {
            ending =
                new Observation.Ending(
                    machine.clock().instant(),
                    String.valueOf(reason),
                    OptionalInt.of(code),
                    Optional.empty());
            world.note(() -> machine.name() + ": " + key() + " ended, " + reason + " " + code);
            machine.ended(this);
            changed.run();
          }
        });
  }

  /// Ends together with its machine.
  void vanish() {
    if (isLive()) {
      isVanished = true;
      machine.ended(this);
    }
  }

  /// Its supervisor is killed, and what it ran with it; nothing of that is recorded.
  void loseSupervisor() {
    if (isLive()) {
      world.note(() -> machine.name() + ": the supervisor of " + key() + " is killed");
      vanish();
      changed.run();
    }
  }

  boolean isVanished() {
    return isVanished;
  }

  /// Told when there is something new to see.
  void follow(Runnable follower) {
    changed = follower;
  }

  Observation observation() {
    return new Observation(
        startedAt,
        Optional.ofNullable(stopReason)
            .map(reason ->
                new Observation.StopProgress(
                    reason, Optional.empty(), Optional.ofNullable(termedAt), Optional.empty())),
        Optional.ofNullable(ending));
  }
}
