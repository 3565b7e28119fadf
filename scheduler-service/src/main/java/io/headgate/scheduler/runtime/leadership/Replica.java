package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.ContactClock;
import io.headgate.scheduler.runtime.agent.NodeCondition;
import io.headgate.scheduler.runtime.agent.ProgressReport;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.FreshCatalog;
import io.headgate.scheduler.runtime.catalog.Refresher;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.Command.ChangeReply;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.loop.InputQueue;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.runtime.record.SchedulerStore.Row;
import io.headgate.scheduler.runtime.submission.Submission;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One scheduler process. It stands for election, leads when elected, and gives the endpoints of
/// this process access to the leader in it. Thread-safe.
public final class Replica implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

  private static final Duration RETRY = Duration.ofMillis(500);

  /// Longest wait for the loop. A turn takes milliseconds, so a longer wait means a fault.
  public static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Candidate candidate;
  private final LoopSettings settings;
  private final LeaderPorts ports;
  private final Members members;
  private final Election election;
  private final Thread thread;
  private final LastSeenLeader lastLook;
  private final TakeoverWaiters arrivals = new TakeoverWaiters();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile @Nullable Leader leader;
  private volatile @Nullable LeaderThreads threads;
  private volatile @Nullable Refresher refresher;
  private volatile boolean killed;

  public Replica(Candidate candidate, LoopSettings settings, LeaderPorts ports, Members members) {
    this.candidate = candidate;
    this.settings = settings;
    this.ports = ports;
    this.members = members;
    this.lastLook = new LastSeenLeader(candidate.address());
    this.election = new Election(candidate, settings.renewal(), ports, members);
    this.thread = Thread.ofPlatform().name("scheduler-replica").daemon().unstarted(this::run);
  }

  public void start() {
    members.start();
    thread.start();
  }

  /// The row of leadership, as read last.
  public Optional<Leadership> leadership() {
    Leader current = leader;
    return current == null ? lastLook.leadership() : Optional.of(current.leadership());
  }

  public boolean isLeading() {
    return leader != null;
  }

  /// Jobs whose view changed without a stored change, between two versions of the watches.
  public List<JobId> touched(long after, long upTo) {
    Leader current = leader;
    return current == null ? List.of() : current.touched().between(after, upTo);
  }

  /// The provisioned resources and the principals that may use them.
  public CatalogView catalog() {
    return leading().catalog();
  }

  /// The catalog, with all changes that the services had at the time of the call. Blocks for
  /// milliseconds, or for seconds when a service does not answer.
  public FreshCatalog freshCatalog() {
    Refresher current = refresher;
    if (current == null) {
      throw new NotLeadingException(leaderAddress());
    }
    try {
      Set<String> silent = current.refresh();
      // The loop takes commands in order, so this question sees the catalog updates queued before
      // it.
      return new FreshCatalog(ask(LeaderView::catalog), silent);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LeadershipLostException("interrupted while waiting for news of the catalog");
    }
  }

  /// Commands and jobs that wait for the loop.
  public int queued() {
    return Optional.ofNullable(leader).map(Leader::queued).orElse(0);
  }

  /// Submits all jobs or none. Does not block. The reply completes once the result is durable, on a
  /// leader's thread, which must not be blocked. If this replica stops leading first, the reply
  /// fails with [LeadershipLostException]: the outcome is unknown. The caller sets its own timeout.
  ///
  /// @throws NotLeadingException the jobs were not submitted
  /// @throws QueueFullException the jobs were not submitted
  public CompletableFuture<SubmitReply> submit(Submission submission) {
    return begin(reply -> new Command.Submit(submission, reply));
  }

  /// Ends a job.
  public ChangeReply cancel(JobRecord known, boolean skipCallback, Cancellation cancellation) {
    return call(reply -> new Command.Cancel(known, skipCallback, cancellation, reply));
  }

  /// Starts a job anew.
  ///
  /// @param catalog the catalog that the request was checked against
  public ChangeReply requeue(JobRecord known, String by, CatalogView catalog) {
    return call(reply -> new Command.Requeue(known, by, catalog, reply));
  }

  /// Answers a question from the leader's state. The question runs on the loop and must be short.
  public <T> T ask(Function<LeaderView, T> question) {
    return call(reply -> new Command.Ask<>(question, reply));
  }

  /// An agent opened a stream.
  ///
  /// @return false: this replica does not lead
  public boolean hello(AgentSession session, AgentHello hello) {
    return offer(new Command.Hello(session, hello));
  }

  /// An agent reports.
  ///
  /// @return false: not accepted; the stream must end, and the agent repeats the report
  public boolean report(AgentSession session, long sequence, AgentReport report) {
    return offer(new Command.Report(session, sequence, report));
  }

  /// An agent or its machine is being shut down; answers as `report` does.
  public boolean closing(AgentSession session) {
    return offer(new Command.Closing(session));
  }

  /// The usable parts of the agent's node have changed; answers as `report` does.
  public boolean changed(AgentSession session, NodeCondition condition) {
    return offer(new Command.Changed(session, condition));
  }

  /// Programs on the agent's node report their progress; answers as `report` does.
  public boolean progress(AgentSession session, List<ProgressReport> reports) {
    return offer(new Command.Progress(session, reports));
  }

  /// The agents and calls that wait while this replica is about to lead.
  public TakeoverWaiters arrivals() {
    return arrivals;
  }

  public void ended(AgentSession session) {
    offer(new Command.SessionEnded(session));
  }

  /// The clock of a node's contact, while this replica leads.
  public Optional<ContactClock> clock(NodeId node) {
    return Optional.ofNullable(leader).map(current -> current.clock(node));
  }

  /// Whether no other replica can lead yet. Only then may this replica answer a heartbeat.
  public boolean holdsLease() {
    Leader current = leader;
    return current != null && current.lease().isHeld();
  }

  private boolean offer(Command command) {
    Leader current = leader;
    return current != null && current.offer(command) == InputQueue.Offer.TAKEN;
  }

  private <T> CompletableFuture<T> begin(Function<CompletableFuture<T>, Command> command) {
    CompletableFuture<T> reply = new CompletableFuture<>();
    return switch (leading().offer(command.apply(reply))) {
      case TAKEN -> reply;
      case FULL -> throw new QueueFullException();
      case CLOSED -> throw new NotLeadingException(leaderAddress());
    };
  }

  private <T> T call(Function<CompletableFuture<T>, Command> command) {
    CompletableFuture<T> reply = begin(command);
    try {
      return reply.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException("the loop failed", e.getCause());
    } catch (TimeoutException e) {
      throw new LeadershipLostException("no answer within " + PATIENCE.toSeconds() + " s");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LeadershipLostException("interrupted while waiting for the loop");
    }
  }

  private Leader leading() {
    Leader current = leader;
    if (current == null) {
      throw new NotLeadingException(leaderAddress());
    }
    return current;
  }

  /// Address of another leader, from the last look at the row; empty: none is known, or this
  /// replica leads. A replica whose lease ran out no longer leads, even if it has no successor.
  public Optional<String> leaderAddress() {
    return isLeading() ? Optional.empty() : lastLook.elsewhere();
  }

  /// Calls `listener` after every look at the row, about once a second and always when
  /// [#leaderAddress] has changed. The listener runs on the replica's thread and must be short.
  public void onLook(Runnable listener) {
    lastLook.tell(listener);
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

  private void pause() throws InterruptedException {
    var _ = closed.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void stand() throws InterruptedException {
    long sent = ports.time().monotonicNanos();
    Election.Look look = election.look();
    Optional<Row> taken = look.taken();
    if (taken.isEmpty()) {
      lastLook.see(look.row().leadership(), look.row().leaseLeft().isPositive());
      election.awaitNext(look.row());
      return;
    }
    Leadership leadership = taken.get().leadership();
    LOG.info(
        "{} leads, epoch {}: {}; nobody had renewed for {} ms",
        candidate.name(),
        leadership.epoch(),
        look.why(),
        look.row().silence().toMillis());
    LeaderEnd end;
    // Opened before the election becomes known, so that no caller is turned away because of it.
    arrivals.open();
    try {
      saw(leadership);
      ports.failpoints().at(Failpoint.AFTER_ELECTION);
      Takeover takeover = new Takeover(ports, look.row().silence());
      end = lead(taken.get(), new Lease(ports.time(), settings.lease(), sent), takeover);
    } finally {
      serve(null);
    }
    switch (end) {
      case LeaderEnd.Closed() -> {
        ports.store().release(leadership);
        LOG.info("{} stopped leading, in order", candidate.name());
        if (closed.getCount() > 0) {
          election.standBack();
        }
      }
      case LeaderEnd.Deposed(Leadership now) -> {
        ports.metrics().refusedStale();
        LOG.warn("{} was deposed by {}, epoch {}", candidate.name(), now.leader(), now.epoch());
      }
      case LeaderEnd.LeaseRanOut(Exception cause) ->
          LOG.warn("{} could not renew its lease: {}", candidate.name(), cause.toString());
      case LeaderEnd.WentBack() -> {
        // An older copy of the database is not written to; the next look decides.
      }
      case LeaderEnd.Failed(Throwable cause) -> {
        if (!killed) {
          LOG.error("{} stops leading because of a failure", candidate.name(), cause);
          ports.store().release(leadership);
          // The fault may not occur on another replica, so this one waits and lets others be
          // elected.
          pause();
        }
      }
    }
  }

  private LeaderEnd lead(Row row, Lease lease, Takeover takeover) throws InterruptedException {
    LoadedState loaded;
    LeaderState state;
    LoadingLease loading = new LoadingLease(row, lease, settings, ports).start();
    try {
      loaded = ports.store().load();
      takeover.loaded(loaded);
      ports.failpoints().at(Failpoint.MID_LOAD);
      state = state(row.leadership(), loaded);
      takeover.built();
      if (loading.successor().isPresent()) {
        return new LeaderEnd.Deposed(loading.successor().get());
      }
    } finally {
      loading.end();
    }
    LeaderThreads current =
        new LeaderThreads(start(row, loaded, takeover), ports, state, lease, election::hasOthers);
    current.start();
    CatalogWatches watches = new CatalogWatches(current.leader(), closed);
    try {
      threads = current;
      serve(current.leader());
      if (closed.getCount() == 0) {
        current.leader().close();
      }
      watches.open(ports.sources(), loaded);
      refresher = new Refresher(watches.all(), ports.time());
      LeaderEnd why = current.awaitEnd(this::saw);
      election.knows(row.leadership(), current.leader().commits().lastBatch());
      return why;
    } finally {
      leader = null;
      threads = null;
      refresher = null;
      watches.close();
    }
  }

  /// Records the content of the row of leadership.
  void saw(Leadership now) {
    lastLook.see(now, true);
  }

  /// Routes callers and agents to this leader from now on; null: to none.
  void serve(@Nullable Leader current) {
    leader = current;
    arrivals.close();
  }

  Election election() {
    return election;
  }

  LeaderStart start(Row row, LoadedState loaded, Takeover takeover) {
    return new LeaderStart(
        row.leadership(), settings, loaded.lastBatch(), loaded.version(), takeover);
  }

  LeaderState state(Leadership leadership, LoadedState loaded) {
    return LeaderState.load(leadership, settings, loaded, ports.sources(), ports.time());
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
    Leader current = leader;
    if (current != null) {
      current.close();
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
