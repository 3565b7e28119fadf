package io.headgate.scheduler.runtime;

import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.runtime.Submission.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A follower does once what it will have to do when it takes over: it reads some of what a leader
/// knows, builds a leader of it, lets that decide about a job, and forgets all of it. Nothing is
/// written or sent. A process that does this for the first time needs seconds to load its classes;
/// a take-over should not begin with them.
public final class Rehearsal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);

  /// Jobs that are read.
  private static final int JOBS = 2000;

  private final String self;
  private final LoopSettings settings;
  private final LeaderPorts ports;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /// @param self name of this replica
  public Rehearsal(String self, LoopSettings settings, LeaderPorts ports) {
    this.self = self;
    this.settings = settings;
    this.ports = ports;
    this.thread = Thread.ofPlatform().name("scheduler-rehearsal").daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  private void run() {
    try {
      // Whoever is to lead now does, after a lease.
      Duration patience = Duration.ZERO;
      while (!closed.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        SchedulerStore.Row row = ports.store().leadership();
        boolean isHeld = row.leaseLeft().isPositive();
        if (isHeld && !row.leadership().leader().equals(Optional.of(self))) {
          var _ = rehearse(row);
          return;
        }
        if (isHeld || patience.isPositive()) {
          return;
        }
        patience = settings.lease();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The first take-over is slower then; nothing else depends on it.
      LOG.debug("not rehearsed", e);
    }
  }

  /// Does it now.
  ///
  /// @param row of whoever leads
  /// @return what a leader would have written next
  List<Step> rehearse(SchedulerStore.Row row) throws InterruptedException {
    LoadedState loaded = ports.store().sample(JOBS);
    List<CatalogUpdate> updates = new ArrayList<>();
    for (CatalogSource source : ports.sources()) {
      LoadedState.Catalog kept =
          loaded.catalogs().getOrDefault(source.name(), LoadedState.Catalog.NONE);
      updates.add(source.decode(kept.position(), kept.entries()));
    }
    LeaderState state =
        LeaderState.load(
            row.leadership(), settings, loaded, updates, ports.time().monotonicNanos());
    LeaderStart start =
        new LeaderStart(row.leadership(), settings, loaded.lastBatch(), loaded.version());
    LeaderPorts silent =
        new LeaderPorts(
            ports.store(),
            ports.reader(),
            ports.sources(),
            ports.time(),
            LoopMetrics.NONE,
            _ -> {},
            Failpoint.Handler.NONE);
    List<Step> steps = new ArrayList<>();
    TurnMaker turns = new TurnMaker(start, state, silent, steps::add);
    turns.take(List.of());
    turns.take(submissions(state));
    LOG.debug("rehearsed with {} jobs", loaded.jobs().size());
    return steps;
  }

  /// One to the first queue that there is.
  private static List<Command> submissions(LeaderState state) {
    return state.jobs.all().stream()
        .findFirst()
        .flatMap(job -> state.catalog.queue(job.job().spec().queue()))
        .map(queue -> submission(queue))
        .map(List::of)
        .orElse(List.of());
  }

  private static Command submission(Queue queue) {
    TenantId tenant = queue.id().tenant();
    NewJob job =
        new NewJob(
            new JobName(tenant, "rehearsal"),
            queue.id(),
            new UserId("rehearsal"),
            "rehearsal",
            true,
            0,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            "",
            false,
            Document.EMPTY);
    return new Command.Submit(
        new Submission(List.of(job), Optional.empty(), List.of()), new CompletableFuture<>());
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
