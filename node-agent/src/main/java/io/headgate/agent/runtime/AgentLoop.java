package io.headgate.agent.runtime;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Effect;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.core.Reconciler;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.runtime.attempt.AttemptRunner;
import io.headgate.agent.runtime.ledger.Failpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that owns the reconciler: takes an input, lets it decide, carries the effects out
/// in order. In tests, the thread that calls [#turn].
///
/// It writes the ledger and the outbox itself, because nothing may overtake them; whatever else
/// takes time belongs to the attempts' own threads. A ledger that cannot be written ends the loop:
/// an agent that forgets is worse than none, and the supervisors do without it.
final class AgentLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentLoop.class);

  /// A loop that has ended gives no answer.
  private static final int ANSWER_SECONDS = 10;

  private static final long NO_CONTACT = Long.MIN_VALUE;

  /// A record on a slow disk takes seconds; a loop that stands longer obeys no command in time.
  private static final Duration TURN_PATIENCE = Duration.ofSeconds(5);

  /// Commands of the scheduler that may wait. Above the number of attempts of any machine, so only
  /// a loop that stands still fills it.
  static final int MAX_COMMANDS = 4096;

  private final AgentPorts ports;
  private final Reconciler reconciler;

  /// Bounded without a capacity: [#room] limits commands, contacts and questions wait at most once
  /// each, and an attempt's own threads post a few inputs per attempt. The loop thread posts too,
  /// and must never wait for itself.
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  private final Semaphore room = new Semaphore(MAX_COMMANDS);
  private final AtomicLong contactBootMs = new AtomicLong(NO_CONTACT);
  private final Map<AttemptKey, AttemptRunner> attempts = new HashMap<>(); // loop thread only
  private final CompletableFuture<Void> failure = new CompletableFuture<>();
  private final CompletableFuture<Void> idle = new CompletableFuture<>();
  private final Thread thread;
  private volatile ControlPlane controlPlane = ControlPlane.NONE;
  private volatile List<AttemptReport> reports = List.of();
  private volatile List<String> unusableDevices = List.of();
  private volatile LeadershipHistory history = LeadershipHistory.NONE;
  private volatile boolean closing;
  private volatile CompletableFuture<Void> turn = CompletableFuture.completedFuture(null);
  private volatile long turnAskedNanos;
  private long lastContactBootMs; // loop thread only
  private boolean awaitingIdle; // loop thread only
  private boolean closed; // loop thread only

  AgentLoop(String name, AgentPorts ports) {
    this.ports = ports;
    this.reconciler = new Reconciler(ports.devices());
    this.thread = Thread.ofPlatform().name("headgate-agent-" + name).unstarted(this::run);
  }

  /// Adopts the attempts of the ledger.
  void recover() throws IOException {
    Input.Recovered recovered = ports.records().recover(ports.time().instant());
    ports.resources().recovered(recovered);
    post(recovered);
  }

  /// Serves, on a thread of its own.
  void start() {
    thread.start();
  }

  /// Does the next thing that was posted, on the caller's thread.
  ///
  /// @return false: there is none
  boolean turn() {
    Runnable task = tasks.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  void connect(ControlPlane to) {
    controlPlane = to;
  }

  void post(Input input) {
    tasks.add(() -> take(input));
  }

  /// Posts a command of the scheduler. Waits while [#MAX_COMMANDS] commands wait, so that the
  /// reader of the stream stops reading and back-pressure reaches the scheduler. Returns at once
  /// after the loop has ended. Not for the loop's thread.
  void command(Input input) {
    room.acquireUninterruptibly();
    tasks.add(() -> {
      room.release();
      take(input);
    });
  }

  /// The control plane was heard from at that time of the boot clock. Contacts that still wait are
  /// joined into the latest.
  void contact(long bootMs) {
    if (contactBootMs.getAndAccumulate(bootMs, Math::max) == NO_CONTACT) {
      tasks.add(() -> {
        lastContactBootMs = Math.max(lastContactBootMs, contactBootMs.getAndSet(NO_CONTACT));
        attempts.values().forEach(attempt -> attempt.contact(lastContactBootMs));
      });
    }
  }

  /// How every attempt stands, after all that was posted before.
  CompletableFuture<List<AttemptReport>> reports() {
    CompletableFuture<List<AttemptReport>> answer = new CompletableFuture<>();
    tasks.add(() -> answer.complete(reconciler.reports()));
    return answer.orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  /// Whether the loop takes posted inputs. Each call judges the probe that the previous call
  /// posted, so one thread must call it again and again.
  boolean isTurning() {
    long now = ports.time().monotonicNanos();
    if (turn.isDone()) {
      CompletableFuture<Void> next = new CompletableFuture<>();
      tasks.add(() -> next.complete(null));
      turn = next;
      turnAskedNanos = now;
    }
    return now - turnAskedNanos <= TURN_PATIENCE.toNanos();
  }

  /// How every attempt stood a moment ago, without waiting.
  List<AttemptReport> latestReports() {
    return reports;
  }

  /// Devices on which nothing new can be placed. The list changes before an update that follows
  /// from the change is visible.
  List<String> unusableDevices() {
    return unusableDevices;
  }

  LeadershipHistory latestHistory() {
    return history;
  }

  /// Stops every job in order; completes when none is left, exceptionally if the loop ends before.
  CompletableFuture<Void> stopAll() {
    tasks.add(() -> {
      awaitingIdle = true;
      closing = true;
      controlPlane.closing();
      take(new Input.ShutdownOrdered());
    });
    return idle;
  }

  /// Whether every job is being stopped. This is visible before any update of that stop.
  boolean isClosing() {
    return closing;
  }

  /// Completes, exceptionally, if the loop cannot continue.
  CompletableFuture<Void> failure() {
    return failure;
  }

  /// Ends the loop and leaves the jobs, which run on.
  @Override
  public void close() {
    tasks.add(() -> {
      closed = true;
      attempts.values().forEach(AttemptRunner::detach);
    });
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    letGo();
    idle.completeExceptionally(new IllegalStateException("the agent is closed; its jobs run on"));
  }

  private void run() {
    try {
      while (!closed) {
        tasks.take().run();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      LOG.error("the agent cannot go on; the jobs run on under their supervisors", e);
      attempts.values().forEach(AttemptRunner::detach);
      letGo();
      failure.completeExceptionally(e);
      idle.completeExceptionally(e);
    }
  }

  /// A reader that waits to post a command must end with the loop.
  private void letGo() {
    room.release(Math.max(0, Integer.MAX_VALUE / 2 - room.availablePermits()));
  }

  private void take(Input input) {
    List<Effect> effects = reconciler.on(input);
    if (input instanceof Input.DeviceJudged) {
      // Sent before any consequence of it.
      unusableDevices = reconciler.unusableDevices();
      controlPlane.updatesReady();
    }
    try {
      for (Effect effect : effects) {
        carryOut(effect);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a record cannot be written", e);
    }
    reports = reconciler.reports();
    history = reconciler.history();
    if (awaitingIdle && reconciler.unfinished() == 0) {
      idle.complete(null);
    }
  }

  private void carryOut(Effect effect) throws IOException {
    switch (effect) {
      case Effect.RecordLeadership(LeadershipHistory higher) ->
          ports.records().recordLeadership(higher);
      case Effect.RecordAssignment(Assignment assignment) ->
          ports.records().recordAssignment(assignment, lastContactBootMs);
      case Effect.RecordEnd(AttemptReport report) -> {
        ports.records().recordEnd(report);
        attempts.remove(report.key());
        LOG.info("{} ended: {}", report.key(), report.end().map(Object::toString).orElse(""));
      }
      case Effect.Start(Assignment assignment) -> {
        AttemptRunner attempt = ports.runners().of(assignment, this::post);
        attempts.put(assignment.key(), attempt);
        attempt.start();
      }
      case Effect.Go(Assignment assignment, Rendezvous rendezvous) ->
          attempt(assignment).go(rendezvous);
      case Effect.RecordSuspension(AttemptKey key, long suspension) ->
          ports.records().recordSuspension(key, suspension);
      case Effect.RecordResumption(AttemptKey key) -> ports.records().recordResumption(key);
      case Effect.Resume(Assignment assignment) -> attempt(assignment).resume();
      case Effect.SendStop stop -> attempt(stop.assignment()).stop(stop.order());
      case Effect.Release release -> attempt(release.assignment()).release(release.killRemains());
      case Effect.Report(AttemptReport report) -> {
        ports.updates().append(report);
        Failpoint.AFTER_UPDATE_RECORD.reach();
        ports.watcher().reported(report);
        controlPlane.updatesReady();
      }
      case Effect.Forget(AttemptKey key) -> {
        ports.records().forget(key);
        ports.watcher().forgot();
      }
      case Effect.Refuse refuse -> {
        LOG.warn(
            "refused a command of {}, because {} was obeyed before",
            refuse.leadership(),
            reconciler.history());
        controlPlane.refuse(refuse.leadership());
      }
    }
  }

  private AttemptRunner attempt(Assignment assignment) {
    @Nullable AttemptRunner attempt = attempts.get(assignment.key());
    if (attempt == null) {
      throw new IllegalStateException("no runner exists for " + assignment.key());
    }
    return attempt;
  }
}
