package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// The store behind a connection, with delays.
///
/// Requests take a while. The row of leadership is locked during a transaction on it. An answer may
/// be lost, also that of a COMMIT.
final class SimulatedDatabase {
  static final String PLACE = "db";

  /// How late a message may come after its wire was lost.
  private static final long LATEST = 10 * World.SECOND;

  private final World world;
  private final Network network;
  private final Auditor auditor;
  private final World.Clock clock;
  private final InMemoryStore store;
  private final World.Life life = new World.Life(PLACE);
  private long lockedUntil;
  private long slowUntil;
  private double lost;

  SimulatedDatabase(World world, Network network, Auditor auditor) {
    this.world = world;
    this.network = network;
    this.auditor = auditor;
    this.clock = world.clock();
    this.store = new InMemoryStore(() -> clock.instant().toEpochMilli() * World.MILLI);
  }

  InMemoryStore store() {
    return store;
  }

  World.Clock clock() {
    return clock;
  }

  void slowDown(long untilNanos) {
    slowUntil = Math.max(slowUntil, untilNanos);
  }

  /// How often an answer is lost.
  void loseAnswers(double probability) {
    lost = probability;
  }

  /// Reads without a lock.
  <T> void read(SimulatedReplica from, Supplier<T> query, Consumer<Optional<T>> answer) {
    call(from, false, query, Duration.ofSeconds(10), answer);
  }

  /// Locks the row and changes or reads it.
  <T> void write(SimulatedReplica from, Supplier<T> statement, Consumer<Optional<T>> answer) {
    call(from, true, statement, Duration.ofSeconds(10), answer);
  }

  private <T> void call(
      SimulatedReplica from,
      boolean locks,
      Supplier<T> statement,
      Duration timeout,
      Consumer<Optional<T>> answer) {
    Answer<Optional<T>> once = new Answer<>(from, answer);
    if (network.isBlocked(from.name(), PLACE) || world.chance(lost)) {
      once.give(world.chance(0.5) ? World.MILLI : timeout.toNanos(), Optional.empty());
      return;
    }
    world.later(
        life,
        latency(),
        () ->
            locked(
                locks,
                () -> {
                  T result = statement.get();
                  once.give(network.latency(), Optional.of(result));
                }));
    once.give(timeout.toNanos(), Optional.empty());
  }

  private void locked(boolean locks, Runnable statement) {
    if (locks && lockedUntil > world.now()) {
      world.later(life, lockedUntil - world.now(), () -> locked(true, statement));
    } else {
      statement.run();
    }
  }

  /// Commits a batch. The batch goes to the database as one message, which may arrive in part or
  /// late.
  ///
  /// A late one arrives after its sender has lost the connection, read the row and repeated the
  /// batch.
  ///
  /// @param transaction its effect; its argument is the nanosecond of its first statement
  void commit(
      SimulatedReplica from,
      Function<Long, CommitResult> transaction,
      Duration lease,
      Batch batch,
      Consumer<CommitResult> answer) {
    Answer<CommitResult> once = new Answer<>(from, answer);
    CommitResult unknown = new CommitResult.Unknown(new IllegalStateException("no answer"));
    if (network.isBlocked(from.name(), PLACE)) {
      once.give(world.chance(0.5) ? World.MILLI : lease.toNanos(), unknown);
      return;
    }
    once.give(lease.toNanos(), unknown);
    long arrives = latency();
    if (world.chance(lost / 2)) {
      world.befell(Fault.COMMIT_LATE);
      once.give(arrives, unknown);
      arrives += world.between(0, LATEST);
    }
    world.later(
        life,
        arrives,
        () -> locked(true, () -> statements(from, transaction, lease, batch, once, unknown)));
  }

  private void statements(
      SimulatedReplica from,
      Function<Long, CommitResult> transaction,
      Duration lease,
      Batch batch,
      Answer<CommitResult> once,
      CommitResult unknown) {
    boolean isDead = from.isDead(once.life) && world.chance(0.5);
    boolean isCut = world.chance(lost);
    if (isDead || (isCut && world.chance(0.5))) {
      // A part of it came, and now and then the wire stays up: then the server ends it.
      lockedUntil = world.now() + (world.chance(0.1) ? lease.toNanos() / 2 : 0);
      once.give(network.latency(), unknown);
      return;
    }
    long fencedAt = clock.instant().toEpochMilli() * World.MILLI;
    long takes = latency();
    lockedUntil = world.now() + takes;
    if (isCut) {
      world.befell(Fault.ANSWER_LOST);
      once.give(world.between(0, takes), unknown);
    }
    world.later(
        life,
        takes,
        () -> {
          CommitResult result = transaction.apply(fencedAt);
          if (result instanceof CommitResult.Committed) {
            world.note(() -> from.name() + " committed batch " + batch.id() + text(batch));
            auditor.committed(from, batch);
          }
          once.give(network.latency(), isCut ? unknown : result);
        });
  }

  private static String text(Batch batch) {
    StringBuilder text = new StringBuilder();
    batch.newJobs().forEach(job -> text.append(" +").append(job.job().name().id()));
    batch
        .jobs()
        .forEach(job -> text.append(' ').append(job.name().id()).append('=').append(job.state()));
    batch
        .attempts()
        .forEach(attempt ->
            text.append(" ")
                .append(attempt.id())
                .append(attempt.attempt().workers())
                .append(attempt.ending().map(end -> end.outcome().name()).orElse("")));
    return text.toString();
  }

  private long latency() {
    if (world.now() < slowUntil && world.chance(0.5)) {
      return world.between(20 * World.MILLI, 6 * World.SECOND);
    }
    return world.between(World.MILLI / 5, 4 * World.MILLI);
  }

  /// An answer that is given once, to its caller, if that life of the caller still lasts.
  private final class Answer<T> {
    private final World.Life life;
    private final SimulatedReplica to;
    private final Consumer<T> taker;
    private boolean isGiven;

    Answer(SimulatedReplica to, Consumer<T> taker) {
      this.to = to;
      this.life = to.life();
      this.taker = taker;
    }

    void give(long after, T value) {
      world.later(
          life,
          after,
          () -> {
            if (!isGiven) {
              isGiven = true;
              to.during(() -> taker.accept(value));
            }
          });
    }
  }
}
