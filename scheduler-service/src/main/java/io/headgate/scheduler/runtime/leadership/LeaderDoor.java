package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.ContactClock;
import io.headgate.scheduler.runtime.agent.NodeCondition;
import io.headgate.scheduler.runtime.agent.ProgressReport;
import io.headgate.scheduler.runtime.agent.UseReport;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.FreshCatalog;
import io.headgate.scheduler.runtime.catalog.Refresher;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.Command.ChangeReply;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.loop.InputQueue;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.submission.Submission;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The way of this process's endpoints to the leader in it. The [Replica] opens the door when it is
/// elected and ready, and closes it when it stops leading. While the door is closed, calls fail
/// with [NotLeadingException], and messages of agents are not accepted. Thread-safe.
public final class LeaderDoor {
  /// Longest wait for the loop. A turn takes milliseconds, so a longer wait means a fault.
  public static final Duration PATIENCE = Duration.ofSeconds(20);

  /// Jobs that are being stored while answers that have a second best do not wait.
  static final int MANY = 1000;

  private static final Duration BRIEF = Duration.ofMillis(100);

  private final LastSeenLeader lastLook;

  /// Submitted jobs that are not durable yet.
  private final AtomicInteger submitting = new AtomicInteger();

  private final TakeoverWaiters takeoverWaiters = new TakeoverWaiters();
  private volatile @Nullable Leader leader;
  private volatile @Nullable Refresher refresher;

  /// @param ownAddress `host:port` at which this replica is reached
  public LeaderDoor(String ownAddress) {
    this.lastLook = new LastSeenLeader(ownAddress);
  }

  // For the replica.

  /// Records the row of leadership.
  ///
  /// @param isHeld whether the lease was still valid
  void saw(Leadership now, boolean isHeld) {
    lastLook.see(now, isHeld);
  }

  /// Makes agents and calls wait from now on, because this replica is about to lead. Precedes the
  /// record of its election, so that no caller is turned away because of it.
  void holdCallers() {
    takeoverWaiters.open();
  }

  /// Routes callers and agents to this leader from now on, and lets those that wait go on.
  void open(Leader current) {
    leader = current;
    takeoverWaiters.close();
  }

  /// Lets callers ask for the services' current catalog.
  void follow(Refresher catalogs) {
    refresher = catalogs;
  }

  /// Routes callers and agents to no leader from now on. Waiting ones are turned away.
  void close() {
    leader = null;
    refresher = null;
    takeoverWaiters.close();
  }

  // For the endpoints.

  /// The row of leadership, as read last.
  public Optional<Leadership> leadership() {
    Leader current = leader;
    return current == null ? lastLook.leadership() : Optional.of(current.leadership());
  }

  public boolean isLeading() {
    return leader != null;
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
    int jobs = submission.jobs().size();
    CompletableFuture<SubmitReply> stored = begin(reply -> new Command.Submit(submission, reply));
    submitting.addAndGet(jobs);
    var _ = stored.whenComplete((_, _) -> submitting.addAndGet(-jobs));
    return stored;
  }

  /// Ends a job.
  public ChangeReply cancel(JobRecord known, boolean skipCallback, Cancellation cancellation) {
    return call(reply -> new Command.Cancel(known, skipCallback, cancellation, reply));
  }

  /// Starts a job anew.
  ///
  /// @param catalog the catalog that the request was checked against
  /// @param moved to another queue; absent: it stays in its own
  /// @param prerequisites the jobs that it still waited for, as the database has them
  public ChangeReply requeue(
      JobRecord known,
      String by,
      CatalogView catalog,
      Optional<Command.Moved> moved,
      List<JobRecord> prerequisites) {
    return call(reply -> new Command.Requeue(known, by, catalog, moved, prerequisites, reply));
  }

  /// Changes a waiting job or a draft.
  ///
  /// @param spec with all changes
  /// @param document the job's specification with all changes
  /// @param what the changes, for people
  /// @param catalog the catalog that the request was checked against
  public ChangeReply update(
      JobRecord known, JobSpec spec, Document document, String what, CatalogView catalog) {
    return call(reply -> new Command.Update(known, spec, document, what, catalog, reply));
  }

  /// Makes many changes at once. Each is answered by itself.
  public void change(List<Command> commands) {
    var _ = begin((CompletableFuture<Void> _) -> new Command.Many(commands));
  }

  /// Answers a question from the leader's state. The question runs on the loop and must be short.
  public <T> T ask(Function<LeaderView, T> question) {
    return call(reply -> new Command.Ask<>(question, reply));
  }

  /// As [#ask], but does not wait for the storing of [many][#MANY] jobs. For answers that have a
  /// second best.
  ///
  /// @throws LeadershipLostException also if the leader is busy with them
  public <T> T askSoon(Function<LeaderView, T> question) {
    return call(
        reply -> new Command.Ask<>(question, reply), submitting.get() >= MANY ? BRIEF : PATIENCE);
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

  /// The agent tells the use that attempts make of their slices; answers as `report` does.
  public boolean used(AgentSession session, List<UseReport> reports) {
    return offer(new Command.Used(session, reports));
  }

  /// An agent's stream has ended whose Hello was taken. A full queue takes it, too. May be
  /// repeated.
  public void ended(AgentSession session) {
    offer(new Command.SessionEnded(session));
  }

  /// The process counted budgets anew; answers as `report` does.
  public boolean counted(List<BudgetUse> uses) {
    return offer(new Command.BudgetsCounted(uses));
  }

  /// The agents and calls that wait while this replica is about to lead.
  public TakeoverWaiters takeoverWaiters() {
    return takeoverWaiters;
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
    return call(command, PATIENCE);
  }

  private <T> T call(Function<CompletableFuture<T>, Command> command, Duration patience) {
    CompletableFuture<T> reply = begin(command);
    try {
      return reply.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException("the loop failed", e.getCause());
    } catch (TimeoutException e) {
      throw new LeadershipLostException("no answer within " + patience.toMillis() + " ms");
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
}
