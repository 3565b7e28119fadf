package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.ContactClock;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.agent.Dispatcher;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.desk.LoopTurn;
import io.headgate.scheduler.runtime.desk.VaultDesk;
import io.headgate.scheduler.runtime.loop.InputQueue;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.TouchedJobs;
import io.headgate.scheduler.runtime.loop.TurnMaker;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.scheduler.runtime.record.Leadership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One leadership, from take-over to its end. No effect is visible outside before it is durable.
///
/// Three parts run concurrently, each confined to one thread at a time. [#turns] owns the core and
/// decides, [#commits] makes the decisions durable, [#dispatcher] sends them to agents. None of
/// them blocks by itself: [LeaderThreads] supplies threads, and a test may drive them step by step.
final class Leader {
  private final LeaderPorts ports;
  private final LeaderState state;
  private final Lease lease;
  private final InputQueue queue;
  private final TouchedJobs touched = new TouchedJobs();
  private final TurnMaker turns;
  private final Commits commits;
  private final Dispatcher dispatcher;
  private volatile boolean closing;

  /// The commands of the turn being decided. Confined to the loop, then to the thread that calls
  /// [#finish].
  private List<Command> inHand = List.of();

  /// @param decided receives each decided step, which then becomes durable
  Leader(
      LeaderStart start,
      LeaderPorts ports,
      LeaderState state,
      Lease lease,
      TurnMaker.Sink decided) {
    this.ports = ports;
    this.state = state;
    this.lease = lease;
    LoopSettings settings = start.settings();
    this.queue =
        new InputQueue(
            settings.maxCommands(),
            settings.maxQueuedJobs(),
            ports.time(),
            ports.metrics()::delayed);
    this.turns = new TurnMaker(start, state, ports, decided);
    this.commits = new Commits(start, lease, ports.failpoints());
    this.dispatcher =
        new Dispatcher(
            new Dispatcher.Ports(
                start.takeover()::assigned, ports.reader(), ports.asked(), ports.failpoints()),
            this::undelivered,
            this::barred);
  }

  TurnMaker turns() {
    return turns;
  }

  Commits commits() {
    return commits;
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  Leadership leadership() {
    return state.leadership();
  }

  TouchedJobs touched() {
    return touched;
  }

  Lease lease() {
    return lease;
  }

  CatalogView catalog() {
    return turns.catalog();
  }

  ContactClock clock(NodeId node) {
    return state.nodes().clock(node);
  }

  InputQueue.Offer offer(Command command) {
    return queue.offer(command);
  }

  int queued() {
    return queue.size();
  }

  /// Takes the queued commands. Waits for one until [TurnMaker#nextDeadline].
  List<Command> await() throws InterruptedException {
    long now = ports.time().monotonicNanos();
    return take(InputQueue.nanosUntil(turns.nextDeadline(), now));
  }

  /// Takes the queued commands without waiting.
  List<Command> take() throws InterruptedException {
    return take(0);
  }

  private List<Command> take(long waitNanos) throws InterruptedException {
    return queue.take(waitNanos, state.settings().batchJobs());
  }

  /// Decides a turn over the commands. If it throws, [#finish] fails the callers that wait for
  /// them.
  void decide(List<Command> commands) throws InterruptedException {
    inHand = commands;
    turns.take(commands);
    inHand = List.of();
  }

  /// Accepts no more commands; accepted ones are finished.
  void close() {
    closing = true;
    queue.close();
  }

  boolean isClosing() {
    return closing;
  }

  /// The jobs that their vaults forbid to run, with the reason. Only reads; any thread may call it.
  Map<JobId, DraftCause> judge(VaultDesk.Page page) {
    Map<JobId, Document> documents =
        ports.reader().documents(page.items().stream().map(VaultDesk.Item::job).toList());
    Map<JobId, DraftCause> forbidden = new HashMap<>();
    for (VaultDesk.Item item : page.items()) {
      Optional.ofNullable(documents.get(item.job()))
          .map(ports.asked())
          .flatMap(item.vaults()::violation)
          .ifPresent(violation -> forbidden.put(item.job(), violation.draft()));
    }
    return forbidden;
  }

  /// Sends the replies of a durable step and notifies watches.
  void publish(LoopStep step) {
    step.replies().forEach(LoopTurn.Reply::complete);
    if (step.batch().isPresent()) {
      long version = step.batch().get().version();
      touched.add(step.touched(), version);
      ports.committed().at(version);
      ports.metrics().durable(step.batch().get());
    }
  }

  /// Fails the callers of all unfinished commands and shuts the dispatcher. Must be the last use of
  /// the leader.
  void finish(LeaderEnd why) throws InterruptedException {
    LeadershipLostException lost =
        new LeadershipLostException("this replica does not lead any more");
    inHand.forEach(command -> fail(command, lost));
    drain().forEach(command -> fail(command, lost));
    String address =
        why instanceof LeaderEnd.Deposed(Leadership now) ? now.address().orElse("") : "";
    dispatcher.shut(address);
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
      case Command.Update update -> update.reply().completeExceptionally(cause);
      case Command.Many(var commands) -> commands.forEach(each -> fail(each, cause));
      case Command.Ask<?> ask -> ask.reply().completeExceptionally(cause);
      case Command.Hello hello -> hello.session().endNotLeader("");
      case Command.Report _,
          Command.Closing _,
          Command.Changed _,
          Command.Progress _,
          Command.Used _,
          Command.SessionEnded _,
          Command.Undelivered _,
          Command.Barred _,
          Command.Judged _,
          Command.BudgetsCounted _,
          Command.CatalogMoved _ -> {
        // Agents and sources repeat these to the next leader.
      }
    }
  }

  /// Queues the jobs again; any thread may call it.
  void queueAgain(List<Dispatch.Run> locked) {
    locked.forEach(run -> barred(run, Optional.empty()));
  }

  private void undelivered(Dispatch.Run run) {
    queue.offer(new Command.Undelivered(run.key().attempt(), run.key().worker()));
  }

  private void barred(Dispatch.Run run, Optional<DraftCause> draft) {
    queue.offer(new Command.Barred(run.key(), run.vaults(), draft));
  }
}
