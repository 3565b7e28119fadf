package io.headgate.scheduler.runtime;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.SchedulerStore.Resolution;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes turns durable, one after the other, and acts on each once it is: while one commits the
/// next is decided, and while that waits further inputs gather for the one after. Answers are given
/// by the thread that commits, words to agents by a second one, because those may have to be read.
final class Pipeline {
  private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);

  /// Turns that are committed and wait for their words to agents; then commits wait too.
  private static final int UNSAID = 64;

  private static final Duration RETRY = Duration.ofMillis(100);

  private final Leadership leadership;
  private final LoopSettings settings;
  private final Lease lease;
  private final LeaderPorts ports;
  private final TouchedJobs touched;
  private final Consumer<LeaderEnd> ended;
  private final BlockingQueue<Step> decided = new ArrayBlockingQueue<>(1);

  /// Empty: nothing more comes.
  private final BlockingQueue<Optional<List<Dispatch>>> committed =
      new ArrayBlockingQueue<>(UNSAID);

  private final Thread committer;
  private final Thread speaker;
  private final Dispatcher dispatcher;
  private long lastBatch;
  private long lastVersion;

  /// A turn, decided.
  ///
  /// @param batch absent: nothing of it is stored
  /// @param touched jobs that look different although nothing of them is stored anew
  record Step(
      Optional<Batch> batch,
      List<Turn.Reply<?>> replies,
      List<Dispatch> dispatches,
      Collection<JobId> touched,
      boolean isLast) {}

  Pipeline(
      LeaderStart start,
      Lease lease,
      LeaderPorts ports,
      TouchedJobs touched,
      Dispatcher dispatcher,
      Consumer<LeaderEnd> ended) {
    this.leadership = start.leadership();
    this.settings = start.settings();
    this.lastBatch = start.lastBatch();
    this.lastVersion = start.version();
    this.lease = lease;
    this.ports = ports;
    this.touched = touched;
    this.dispatcher = dispatcher;
    this.ended = ended;
    this.committer =
        Thread.ofPlatform().name("scheduler-commit").daemon().unstarted(() -> guard(this::commit));
    this.speaker =
        Thread.ofPlatform().name("scheduler-dispatch").daemon().unstarted(() -> guard(this::speak));
  }

  void start() {
    committer.start();
    speaker.start();
  }

  /// Waits while the turn before the one that commits waits too.
  void put(Step step) throws InterruptedException {
    decided.put(step);
  }

  /// Stops without finishing anything; what was not committed fails.
  void stop() {
    committer.interrupt();
    speaker.interrupt();
  }

  void awaitEnd() throws InterruptedException {
    committer.join();
    speaker.join();
    Step left = decided.poll();
    if (left != null) {
      fail(left);
    }
  }

  private void guard(Work work) {
    try {
      work.run();
    } catch (InterruptedException e) {
      LOG.debug("{} was stopped", Thread.currentThread().getName(), e);
    } catch (RuntimeException | Error e) {
      ended.accept(new LeaderEnd.Failed(e));
    }
  }

  @FunctionalInterface
  private interface Work {
    void run() throws InterruptedException;
  }

  private void commit() throws InterruptedException {
    while (true) {
      Step step = decided.poll(settings.renewal().toNanos(), TimeUnit.NANOSECONDS);
      if (step == null) {
        if (!make(Batch.renewal(lastBatch, lastVersion))) {
          return;
        }
        continue;
      }
      boolean durable = false;
      try {
        durable = step.batch().isEmpty() || make(step.batch().get());
        if (durable) {
          ports.failpoints().at(Failpoint.AFTER_COMMIT_BEFORE_SEND);
          durable = lease.isFresh() || make(Batch.renewal(lastBatch, lastVersion));
        }
      } finally {
        if (!durable) {
          fail(step);
        }
      }
      if (!durable) {
        return;
      }
      act(step);
      if (step.isLast()) {
        return;
      }
    }
  }

  private void act(Step step) throws InterruptedException {
    if (!step.dispatches().isEmpty()) {
      committed.put(Optional.of(step.dispatches()));
    }
    if (step.isLast()) {
      committed.put(Optional.empty());
    }
    step.replies().forEach(Turn.Reply::give);
    if (step.batch().isPresent()) {
      long version = step.batch().get().version();
      touched.add(step.touched(), version);
      ports.committed().at(version);
    }
  }

  /// Makes the batch durable.
  ///
  /// @return false: this replica does not lead any more
  private boolean make(Batch batch) throws InterruptedException {
    if (!batch.isRenewal()) {
      ports.failpoints().at(Failpoint.BEFORE_COMMIT);
    }
    TimeSource time = ports.time();
    while (true) {
      long sent = time.monotonicNanos();
      CommitResult result = ports.store().commit(leadership, settings.lease(), batch);
      ports.metrics().committed(time.monotonicNanos() - sent, batch);
      switch (result) {
        case CommitResult.Committed() -> {
          return made(batch, sent);
        }
        case CommitResult.Deposed(Leadership now) -> {
          ended.accept(new LeaderEnd.Deposed(now));
          return false;
        }
        case CommitResult.Unknown(Exception cause) -> {
          LOG.warn("the outcome of batch {} is not known: {}", batch.id(), cause.toString());
          Optional<Boolean> happened = resolve(batch);
          if (happened.isEmpty()) {
            return false;
          }
          if (happened.get()) {
            return made(batch, sent);
          }
        }
      }
    }
  }

  private boolean made(Batch batch, long sentNanos) {
    lease.renewed(sentNanos);
    lastBatch = batch.id();
    lastVersion = batch.version();
    return true;
  }

  /// Asks the row until it answers or the lease is over.
  ///
  /// @return whether the batch was committed; empty: this replica does not lead any more
  private Optional<Boolean> resolve(Batch batch) throws InterruptedException {
    while (true) {
      switch (ports.store().resolve(leadership, batch.id())) {
        case Resolution.Happened() -> {
          // A renewal has the number of the batch before it, so it is simply made again.
          return Optional.of(!batch.isRenewal());
        }
        case Resolution.DidNotHappen() -> {
          return Optional.of(false);
        }
        case Resolution.Deposed(Leadership now) -> {
          ended.accept(new LeaderEnd.Deposed(now));
          return Optional.empty();
        }
        case Resolution.Unreachable(Exception cause) -> {
          if (!lease.isHeld()) {
            ended.accept(new LeaderEnd.LeaseRanOut(cause));
            return Optional.empty();
          }
          lease.awaitChange(RETRY);
        }
      }
    }
  }

  private void speak() throws InterruptedException {
    Optional<List<Dispatch>> words = committed.take();
    while (words.isPresent() && lease.awaitFresh()) {
      dispatcher.carryOut(words.get());
      words = committed.take();
    }
  }

  private static void fail(@Nullable Step step) {
    if (step != null) {
      LeadershipLostException lost =
          new LeadershipLostException("this replica stopped leading before it was durable");
      step.replies().forEach(reply -> reply.fail(lost));
    }
  }
}
