package io.headgate.scheduler.runtime;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One leadership, from take-over to its end: the loop. One platform thread owns the core. A turn
/// takes what waits, lets the core decide, and hands rows and words on to the [Pipeline]; nothing
/// is seen outside before it is durable.
final class Leader {
  private static final Logger LOG = LoggerFactory.getLogger(Leader.class);

  /// Silence is noticed this part of a heartbeat late.
  private static final int SWEEPS_PER_HEARTBEAT = 4;

  private final LeaderPorts ports;
  private final LeaderState state;
  private final InputQueue queue;
  private final Pipeline pipeline;
  private final TouchedJobs touched = new TouchedJobs();
  private final Lease lease;
  private final LeaderView.Reads reads;
  private final UserDesk users;
  private final AgentDesk agents;
  private final CatalogDesk catalogs;
  private final ContactSweep contacts;
  private final Thread loop;
  private final CompletableFuture<LeaderEnd> end = new CompletableFuture<>();
  private final Instant baseTime;
  private final long baseNanos;
  private final Dispatcher dispatcher;
  private volatile CatalogView catalog;
  private volatile boolean closing;
  // Confined to the loop.
  private long lastBatch;
  private long version;
  private Optional<Instant> wakeAt = Optional.empty();
  private long nextSweepNanos;

  Leader(LeaderStart start, LeaderPorts ports, LeaderState state, Lease lease) {
    this.ports = ports;
    this.state = state;
    this.lease = lease;
    LoopSettings settings = start.settings();
    TimeSource time = ports.time();
    this.baseNanos = time.monotonicNanos();
    this.baseTime = time.instant();
    this.lastBatch = start.lastBatch();
    this.version = start.version();
    this.queue =
        new InputQueue(
            settings.maxCommands(), settings.maxQueuedJobs(), time, ports.metrics()::delayed);
    this.dispatcher = new Dispatcher(ports.reader(), ports.failpoints(), this::undelivered);
    this.pipeline = new Pipeline(start, lease, ports, touched, dispatcher, this::end);
    Views views = new Views(state);
    this.reads = new LoopReads(state, views, time);
    this.users = new UserDesk(state, views);
    this.catalogs = new CatalogDesk(state);
    this.agents = new AgentDesk(state, catalogs);
    this.contacts = new ContactSweep(state, agents, catalogs, baseNanos);
    this.catalog = state.catalog;
    this.loop = Thread.ofPlatform().name("scheduler-loop").daemon().unstarted(this::run);
  }

  void start() {
    pipeline.start();
    loop.start();
  }

  Leadership leadership() {
    return state.leadership;
  }

  TouchedJobs touched() {
    return touched;
  }

  Lease lease() {
    return lease;
  }

  CatalogView catalog() {
    return catalog;
  }

  ContactClock clock(NodeId node) {
    return state.nodes.clock(node);
  }

  InputQueue.Offer offer(Command command) {
    return queue.offer(command);
  }

  int queued() {
    return queue.size();
  }

  /// Waits until this replica does not lead any more.
  ///
  /// @param deposed told who leads now, before anybody is sent there
  LeaderEnd awaitEnd(Consumer<Leadership> deposed) throws InterruptedException {
    LeaderEnd why = end.join();
    if (why instanceof LeaderEnd.Deposed(Leadership now)) {
      deposed.accept(now);
    }
    finish(why);
    return why;
  }

  /// Ends in order: finishes what was taken, then stops.
  void close() {
    closing = true;
    queue.close();
  }

  /// Ends at once, as by a crash: nothing more is written, sent or answered.
  void kill() {
    lease.end();
    end(new LeaderEnd.Failed(new IllegalStateException("killed")));
    pipeline.stop();
    loop.interrupt();
  }

  private void end(LeaderEnd why) {
    end.complete(why);
  }

  private void finish(LeaderEnd why) throws InterruptedException {
    lease.end();
    queue.close();
    if (!(why instanceof LeaderEnd.Closed)) {
      pipeline.stop();
      loop.interrupt();
    }
    loop.join();
    pipeline.awaitEnd();
    LeadershipLostException lost =
        new LeadershipLostException("this replica does not lead any more");
    for (Command command : drain()) {
      fail(command, lost);
    }
    String leader =
        why instanceof LeaderEnd.Deposed(Leadership now) ? now.address().orElse("") : "";
    dispatcher.shut(leader);
  }

  private List<Command> drain() throws InterruptedException {
    List<Command> left = new ArrayList<>();
    List<Command> some = queue.take(0, Integer.MAX_VALUE);
    while (!some.isEmpty()) {
      left.addAll(some);
      some = queue.take(0, Integer.MAX_VALUE);
    }
    return left;
  }

  private static void fail(Command command, Throwable cause) {
    switch (command) {
      case Command.Submit submit -> submit.reply().completeExceptionally(cause);
      case Command.Cancel cancel -> cancel.reply().completeExceptionally(cause);
      case Command.Requeue requeue -> requeue.reply().completeExceptionally(cause);
      case Command.Ask<?> ask -> ask.reply().completeExceptionally(cause);
      case Command.Hello hello -> hello.session().endNotLeader("");
      case Command.Report _,
          Command.Closing _,
          Command.SessionEnded _,
          Command.Undelivered _,
          Command.CatalogMoved _ -> {
        // Said again to the next leader.
      }
    }
  }

  private void undelivered(Dispatch.Run run, NodeId node) {
    InputQueue.Offer offer =
        queue.offer(new Command.Undelivered(run.key().attempt(), run.key().worker()));
    if (offer == InputQueue.Offer.FULL) {
      LOG.warn("{} was not told to run {}, and the loop has no room to hear it", node, run.key());
    }
  }

  private void run() {
    try {
      while (true) {
        List<Command> commands =
            queue.take(InputQueue.nanosUntil(nextDeadline(), now()), state.settings.batchJobs());
        if (commands.isEmpty() && closing) {
          put(new Turn(instant()), true);
          end(new LeaderEnd.Closed());
          return;
        }
        turns(commands);
      }
    } catch (InterruptedException e) {
      LOG.debug("the loop was stopped", e);
      end(new LeaderEnd.Failed(e));
    } catch (RuntimeException | Error e) {
      end(new LeaderEnd.Failed(e));
    }
  }

  private long nextDeadline() {
    long deadline = nextSweepNanos;
    if (wakeAt.isPresent()) {
      long untilWake = Duration.between(instant(), wakeAt.get()).toNanos();
      deadline = Math.min(deadline, now() + Math.max(0, untilWake));
    }
    return deadline;
  }

  private void turns(List<Command> commands) throws InterruptedException {
    Turn turn = new Turn(instant());
    Map<QueueId, Integer> waitingMore = new HashMap<>();
    for (Command command : commands) {
      if (command instanceof Command.CatalogMoved(String source, CatalogUpdate update)) {
        // Alone, so that everything in a turn is checked against the catalog it is decided with.
        put(turn, false);
        turn = new Turn(instant());
        catalogs.moved(turn, source, update);
        put(turn, false);
        turn = new Turn(instant());
        waitingMore.clear();
      } else {
        handle(turn, command, waitingMore);
      }
    }
    long now = now();
    if (now - nextSweepNanos >= 0 || state.windowOpen) {
      contacts.sweep(turn, now);
      nextSweepNanos = now + state.settings.heartbeat().toNanos() / SWEEPS_PER_HEARTBEAT;
    }
    if (wakeAt.isPresent() && !turn.now.isBefore(wakeAt.get())) {
      wakeAt = Optional.empty();
      turn.inputs.add(new Input.TimePassed());
    }
    put(turn, false);
  }

  private void handle(Turn turn, Command command, Map<QueueId, Integer> waitingMore) {
    switch (command) {
      case Command.Submit submit -> users.submit(turn, submit, waitingMore);
      case Command.Cancel cancel -> users.cancel(turn, cancel);
      case Command.Requeue requeue -> users.requeue(turn, requeue);
      case Command.Hello(AgentSession session, AgentHello hello) ->
          agents.hello(turn, session, hello);
      case Command.Report(AgentSession session, long sequence, AgentReport report) ->
          agents.report(turn, session, sequence, report);
      case Command.Closing(AgentSession session) -> agents.closing(turn, session);
      case Command.SessionEnded(AgentSession session) -> agents.ended(turn, session);
      case Command.Undelivered(var attempt, int worker) ->
          agents.undelivered(turn, attempt, worker);
      case Command.Ask<?> ask -> ask(turn, ask);
      case Command.CatalogMoved _ ->
          throw new IllegalStateException("a catalog has a turn of its own");
    }
  }

  private <T> void ask(Turn turn, Command.Ask<T> ask) {
    // Answered after the turn, with what it decided.
    UserDesk.reply(
        turn,
        ask.reply(),
        () -> ask.question().apply(new LeaderView(state.core, state.catalog, reads, turn.now)));
  }

  /// Decides the turn and hands it on.
  private void put(Turn turn, boolean isLast) throws InterruptedException {
    if (turn.isEmpty() && !isLast) {
      return;
    }
    if (!turn.inputs.isEmpty()) {
      catalogs.withdrawStopped(turn);
      decide(turn);
    }
    Optional<Batch> batch = Optional.empty();
    Batch made = turn.batch(lastBatch + 1, version);
    if (!made.isRenewal() || made.version() != version) {
      batch = Optional.of(made);
      lastBatch = made.id();
      version = made.version();
      turn.jobs.values().forEach(this::keep);
    }
    turn.replies.forEach(Turn.Reply::settle);
    CatalogView current = state.catalog;
    if (current != catalog) {
      catalog = current;
    }
    pipeline.put(new Pipeline.Step(batch, turn.replies, turn.dispatches, turn.touched, isLast));
  }

  private void decide(Turn turn) {
    long before = now();
    Decision decision = state.core.decide(turn.inputs, turn.now);
    ports.metrics().decided(now() - before, turn.inputs.size());
    wakeAt = decision.wakeAt();
    for (Decision.Refusal refusal : decision.refusals()) {
      Consumer<Denial> told = turn.refusals.get(refusal.input());
      if (told != null) {
        told.accept(refusal.denial());
      } else if (turn.inputs.get(refusal.input()) instanceof Input.JobSubmitted) {
        throw new IllegalStateException(
            "job %s passed the check and was refused: %s"
                .formatted(refusal.job(), refusal.denial()));
      }
    }
    state.recorder.record(turn, decision, state.catalog);
  }

  /// The version is known only now.
  private void keep(JobRecord job) {
    if (state.jobs.job(job.id()).isPresent()) {
      state.jobs.put(job);
    } else {
      state.jobs.departed(job.id(), job.version());
    }
  }

  /// Wall time that no adjustment of the clock moves while this replica leads.
  private Instant instant() {
    return baseTime
        .plusNanos(ports.time().monotonicNanos() - baseNanos)
        .truncatedTo(ChronoUnit.MICROS);
  }

  private long now() {
    return ports.time().monotonicNanos();
  }
}
