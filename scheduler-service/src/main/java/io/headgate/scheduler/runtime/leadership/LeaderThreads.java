package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.desk.VaultDesk;
import io.headgate.scheduler.runtime.loop.BatchDelay;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Leadership;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The threads of a [Leader], pipelined as in group commit. While one turn commits, the loop
/// decides the next one. While that one waits, further commands gather for the turn after it. Under
/// load the loop lets them gather a little longer ([BatchDelay]). The committing thread sends the
/// replies. A third thread sends commands to agents, because it may have to read documents first.
final class LeaderThreads {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderThreads.class);

  /// Committed turns whose commands to agents are not sent yet. Beyond this, commits wait.
  private static final int MAX_UNSENT_TURNS = 64;

  private final LeaderPorts ports;
  private final LoopSettings settings;
  private final Lease lease;
  private final Leader leader;
  private final BooleanSupplier mayGiveWay;
  private final BlockingQueue<LoopStep> decided = new ArrayBlockingQueue<>(1);

  /// An empty entry ends the stream.
  private final BlockingQueue<Optional<List<Dispatch>>> committed =
      new ArrayBlockingQueue<>(MAX_UNSENT_TURNS);

  private final Thread loop;
  private final Thread committer;
  private final Thread sender;
  private final CompletableFuture<LeaderEnd> end = new CompletableFuture<>();

  /// @param mayGiveWay whether another replica can lead instead, if no agent reaches this one
  LeaderThreads(
      LeaderStart start,
      LeaderPorts ports,
      LeaderState state,
      Lease lease,
      BooleanSupplier mayGiveWay) {
    this.ports = ports;
    this.mayGiveWay = mayGiveWay;
    this.settings = start.settings();
    this.lease = lease;
    this.leader = new Leader(start, ports, state, lease, this::put);
    this.loop = thread("scheduler-loop", this::decide);
    this.committer = thread("scheduler-commit", this::commit);
    this.sender = thread("scheduler-dispatch", this::sendDispatches);
  }

  private Thread thread(String name, Work work) {
    return Thread.ofPlatform()
        .name(name)
        .daemon()
        .unstarted(() -> {
          try {
            work.run();
          } catch (InterruptedException e) {
            LOG.debug("{} was stopped", name, e);
            end.complete(new LeaderEnd.Failed(e));
          } catch (RuntimeException | Error e) {
            end.complete(new LeaderEnd.Failed(e));
          }
        });
  }

  @FunctionalInterface
  private interface Work {
    void run() throws InterruptedException;
  }

  Leader leader() {
    return leader;
  }

  void start() {
    committer.start();
    sender.start();
    loop.start();
  }

  /// Waits until this replica no longer leads.
  ///
  /// @param deposed receives the new leadership before any caller is redirected to the new leader
  LeaderEnd awaitEnd(Consumer<Leadership> deposed) throws InterruptedException {
    LeaderEnd why = end.join();
    if (why instanceof LeaderEnd.Deposed(Leadership now)) {
      deposed.accept(now);
    }
    lease.end();
    leader.close();
    if (!(why instanceof LeaderEnd.Closed)) {
      interrupt();
    }
    loop.join();
    committer.join();
    sender.join();
    leader.commits().inHand().ifPresent(LoopStep::fail);
    Optional.ofNullable(decided.poll()).ifPresent(LoopStep::fail);
    leader.finish(why);
    return why;
  }

  /// Ends at once, as in a crash: writes, sends and replies stop.
  void kill() {
    lease.end();
    end.complete(new LeaderEnd.Failed(new IllegalStateException("killed")));
    interrupt();
  }

  private void interrupt() {
    committer.interrupt();
    sender.interrupt();
    loop.interrupt();
  }

  private void decide() throws InterruptedException {
    TimeSource time = ports.time();
    BatchDelay delay = new BatchDelay();
    while (true) {
      LockSupport.parkNanos(delay, delay.gatherNanos(time.monotonicNanos()));
      List<Command> commands = leader.await();
      delay.began(time.monotonicNanos(), commands.size());
      if (commands.isEmpty() && leader.isClosing()) {
        leader.turns().takeLast();
        end.complete(new LeaderEnd.Closed());
        return;
      }
      leader.decide(commands);
      if (leader.turns().isCutOff() && mayGiveWay.getAsBoolean()) {
        leader.close();
      }
    }
  }

  private void put(LoopStep step) throws InterruptedException {
    try {
      decided.put(step);
    } catch (InterruptedException e) {
      step.fail();
      throw e;
    }
  }

  private void commit() throws InterruptedException {
    Commits commits = leader.commits();
    TimeSource time = ports.time();
    Commits.Move move = commits.begin();
    while (true) {
      switch (move) {
        case Commits.Move.Take(var atMost) ->
            move =
                commits.took(
                    Optional.ofNullable(decided.poll(atMost.toNanos(), TimeUnit.NANOSECONDS)));
        case Commits.Move.Commit(Batch batch) -> {
          long sent = time.monotonicNanos();
          CommitResult result = ports.store().commit(leader.leadership(), settings.lease(), batch);
          ports.metrics().committed(time.monotonicNanos() - sent);
          move = commits.committed(result, sent);
        }
        case Commits.Move.Resolve(Batch batch) ->
            move =
                commits.resolved(
                    ports.store().resolve(leader.leadership(), settings.lease(), batch.id()));
        case Commits.Move.Pause(var atMost) -> {
          lease.awaitChange(atMost);
          move = commits.paused();
        }
        case Commits.Move.Act(LoopStep step) -> {
          act(step);
          move = commits.acted();
        }
        case Commits.Move.End(Optional<LeaderEnd> why) -> {
          why.ifPresent(end::complete);
          return;
        }
      }
    }
  }

  private void act(LoopStep step) throws InterruptedException {
    if (!step.dispatches().isEmpty()) {
      committed.put(Optional.of(step.dispatches()));
    }
    // One page at a time: the loop hands out the next one after the result of this one.
    step.unjudged()
        .ifPresent(page -> Thread.ofVirtual().name("scheduler-vaults").start(() -> judge(page)));
    if (step.isLast()) {
      committed.put(Optional.empty());
    }
    leader.publish(step);
  }

  /// Retries while the database does not answer. Until then each waiting job is checked at
  /// hand-over.
  private void judge(VaultDesk.Page page) {
    try {
      while (lease.awaitFresh()) {
        try {
          leader.offer(new Command.Judged(page, leader.judge(page)));
          return;
        } catch (RuntimeException | Error e) {
          LOG.warn("waiting jobs could not be held against vaults, trying again: {}", e.toString());
          LOG.debug("waiting jobs could not be held against vaults", e);
          lease.awaitChange(settings.renewal());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Later, because a key that is missing now is missing at once again.
  private void queueAgainLater(List<Dispatch.Run> locked) {
    if (!locked.isEmpty()) {
      CompletableFuture.delayedExecutor(settings.renewal().toNanos(), TimeUnit.NANOSECONDS)
          .execute(() -> leader.queueAgain(locked));
    }
  }

  private void sendDispatches() throws InterruptedException {
    Optional<List<Dispatch>> dispatches = committed.take();
    while (dispatches.isPresent() && lease.awaitFresh()) {
      leader.dispatcher().carryOut(dispatches.get());
      queueAgainLater(leader.dispatcher().takeLocked());
      dispatches = committed.take();
    }
  }
}
