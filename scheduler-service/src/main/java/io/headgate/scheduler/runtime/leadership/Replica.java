package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.catalog.Refresher;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.runtime.record.SchedulerStore.Row;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One scheduler process. It stands for election, leads when elected, and opens the [LeaderDoor] to
/// the endpoints of this process while it leads. Thread-safe.
public final class Replica implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

  private static final Duration RETRY = Duration.ofMillis(500);

  /// Longest wait for an end in order.
  public static final Duration PATIENCE = Duration.ofSeconds(20);

  private final LeaderDoor door;
  private final Candidate candidate;
  private final LoopSettings settings;
  private final LeaderPorts ports;
  private final Members members;
  private final Election election;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile @Nullable LeaderThreads threads;
  private volatile boolean killed;

  public Replica(
      LeaderDoor door,
      Candidate candidate,
      LoopSettings settings,
      LeaderPorts ports,
      Members members) {
    this.door = door;
    this.candidate = candidate;
    this.settings = settings;
    this.ports = ports;
    this.members = members;
    this.election = new Election(candidate, settings.renewal(), ports, members);
    this.thread = Thread.ofPlatform().name("scheduler-replica").daemon().unstarted(this::run);
  }

  public void start() {
    members.start();
    thread.start();
  }

  private void run() {
    try {
      while (closed.getCount() > 0) {
        try {
          stand();
        } catch (RuntimeException e) {
          LOG.warn("standing for leadership failed, trying again: {}", e.toString());
          LOG.debug("standing for leadership failed", e);
          pause();
        } catch (Error e) {
          // A replica without this thread would look alive and never lead again.
          LOG.error("standing for leadership failed, trying again", e);
          pause();
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("the replica was stopped", e);
    } finally {
      stopped.countDown();
    }
  }

  private void logFailure(Throwable cause) {
    if (ports.reader().isUnreachable(cause)) {
      LOG.warn("{} stops leading without its database: {}", candidate.name(), cause.toString());
    } else {
      LOG.error("{} stops leading because of a failure", candidate.name(), cause);
    }
  }

  private void pause() throws InterruptedException {
    var _ = closed.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void stand() throws InterruptedException {
    long sent = ports.time().monotonicNanos();
    Election.Look look = election.look();
    Optional<Row> taken = look.taken();
    if (taken.isEmpty()) {
      door.saw(look.row().leadership(), look.row().leaseLeft().isPositive());
      election.awaitNext(look.row());
      return;
    }
    Leadership leadership = taken.get().leadership();
    LOG.info(
        "{} leads, epoch {}: {}; the last renewal was {} ms ago",
        candidate.name(),
        leadership.epoch(),
        look.why(),
        look.row().silence().toMillis());
    LeaderEnd end;
    door.holdCallers();
    try {
      door.saw(leadership, true);
      ports.failpoints().at(Failpoint.AFTER_ELECTION);
      Takeover takeover = new Takeover(ports, look.row().silence());
      end = lead(taken.get(), new Lease(ports.time(), settings.lease(), sent), takeover);
    } catch (RuntimeException e) {
      end = new LeaderEnd.NotBegun(e);
    } finally {
      door.close();
    }
    ended(end, leadership);
  }

  private void ended(LeaderEnd end, Leadership leadership) throws InterruptedException {
    switch (end) {
      case LeaderEnd.Closed() -> {
        ports.store().release(leadership);
        LOG.info("{} stopped leading, in order", candidate.name());
        if (closed.getCount() > 0) {
          election.standBack("heard no agent any more");
        }
      }
      case LeaderEnd.Deposed(Leadership now) -> {
        ports.metrics().refusedStale();
        LOG.warn("{} no longer leads: {}", candidate.name(), cause(leadership, now));
      }
      case LeaderEnd.LeaseRanOut(Exception cause) ->
          LOG.warn("{} could not renew its lease: {}", candidate.name(), cause.toString());
      case LeaderEnd.NotBegun(RuntimeException cause) -> {
        if (!killed) {
          LOG.warn("{} cannot begin to lead: {}", candidate.name(), cause.toString());
          LOG.debug("{} cannot begin to lead", candidate.name(), cause);
          // Otherwise no replica would lead until the lease is over, and this one might win again.
          ports.store().release(leadership);
          if (closed.getCount() > 0) {
            election.standBack("could not load its state");
          }
        }
      }
      case LeaderEnd.WentBack() ->
          // An older copy of the database is not written to; the next look decides.
          ports.metrics().violated(LoopMetrics.Violation.DATABASE);
      case LeaderEnd.Failed(Throwable cause) -> {
        if (!killed) {
          ports.metrics().violated(LoopMetrics.Violation.LOOP);
          logFailure(cause);
          ports.store().release(leadership);
          // The fault may not occur on another replica, so this one waits and lets others be
          // elected.
          pause();
        }
      }
    }
  }

  /// Why a row that was found after an election deposes the leader that was elected.
  private static String cause(Leadership elected, Leadership found) {
    if (!found.incarnation().equals(elected.incarnation())) {
      return "the database has a new incarnation, " + found.incarnation();
    }
    return found
        .leader()
        .map(leader -> "%s leads, epoch %d".formatted(leader, found.epoch()))
        .orElseGet(() -> "the row of epoch %d names no leader".formatted(found.epoch()));
  }

  private LeaderEnd lead(Row row, Lease lease, Takeover takeover) throws InterruptedException {
    LoadedState loaded;
    LeaderState state;
    LoadingLease loading = new LoadingLease(row, lease, settings, ports).start();
    try {
      loaded = ports.store().load();
      takeover.loaded(loaded);
      ports.failpoints().at(Failpoint.MID_LOAD);
      state = LeaderState.load(row.leadership(), settings, loaded, ports.sources(), ports.time());
      takeover.built();
      if (loading.successor().isPresent()) {
        return new LeaderEnd.Deposed(loading.successor().get());
      }
    } finally {
      loading.end();
    }
    LeaderThreads current =
        new LeaderThreads(
            LeaderStart.of(row.leadership(), settings, loaded, takeover),
            ports,
            state,
            lease,
            election::hasOthers);
    current.start();
    CatalogWatches watches = new CatalogWatches(current.leader(), closed);
    boolean hasEnded = false;
    try {
      threads = current;
      door.open(current.leader());
      if (closed.getCount() == 0) {
        current.leader().close();
      }
      watches.open(ports.sources(), loaded);
      door.follow(new Refresher(watches.all(), ports.time()));
      LeaderEnd why = current.awaitEnd(now -> door.saw(now, true));
      hasEnded = true;
      election.knows(row.leadership(), current.leader().commits().lastBatch());
      return why;
    } finally {
      if (!hasEnded) {
        // Otherwise a leader without a door would renew its lease.
        current.kill();
      }
      door.close();
      threads = null;
      watches.close();
    }
  }

  /// Ends at once, as in a crash: no command is finished, and the lease is not released.
  public void kill() {
    killed = true;
    closed.countDown();
    LeaderThreads current = threads;
    if (current != null) {
      current.kill();
    }
    thread.interrupt();
  }

  /// Ends in order: accepted commands are finished, and the lease is released.
  @Override
  public void close() {
    closed.countDown();
    LeaderThreads current = threads;
    if (current != null) {
      current.leader().close();
    } else {
      thread.interrupt();
    }
    try {
      if (thread.isAlive() && !stopped.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the replica did not stop within {}", PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    members.close();
  }
}
