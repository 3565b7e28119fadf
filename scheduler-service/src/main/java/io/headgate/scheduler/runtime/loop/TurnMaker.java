package io.headgate.scheduler.runtime.loop;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.NodeCondition;
import io.headgate.scheduler.runtime.agent.ProgressReport;
import io.headgate.scheduler.runtime.agent.UseReport;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.AgentDesk;
import io.headgate.scheduler.runtime.desk.CatalogDesk;
import io.headgate.scheduler.runtime.desk.ChangeDesk;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.ContactSweep;
import io.headgate.scheduler.runtime.desk.JobViews;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.desk.LoopReads;
import io.headgate.scheduler.runtime.desk.LoopTurn;
import io.headgate.scheduler.runtime.desk.ProgressDesk;
import io.headgate.scheduler.runtime.desk.UseDesk;
import io.headgate.scheduler.runtime.desk.UserDesk;
import io.headgate.scheduler.runtime.desk.VaultDesk;
import io.headgate.scheduler.runtime.desk.WaitingCounts;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Makes turns out of the queued commands. The desks take each command, the core decides, and the
/// result is handed on as a [LoopStep]. The class has no thread and does not block, except for room
/// in the sink. Confined to the loop.
public final class TurnMaker {
  /// Contacts are swept this often, so silence is noticed at most a quarter of a heartbeat late.
  private static final int SWEEPS_PER_HEARTBEAT = 4;

  private final LeaderState state;
  private final TimeSource time;
  private final LoopMetrics metrics;
  private final Sink sink;
  private final LeaderView.Reads reads;
  private final UserDesk users;
  private final ChangeDesk changes;
  private final AgentDesk agents;
  private final ProgressDesk progress;
  private final UseDesk uses;
  private final VaultDesk vaults;
  private final CatalogDesk catalogs;
  private final ContactSweep contacts;
  private final Instant baseTime;
  private final long baseNanos;
  private volatile CatalogView catalog;
  private long lastBatch;
  private long version;
  private Optional<Instant> wakeAt = Optional.empty();
  private long nextSweepNanos;

  /// Takes the steps, in order.
  @FunctionalInterface
  public interface Sink {
    /// May block until there is room.
    void put(LoopStep step) throws InterruptedException;
  }

  public TurnMaker(LeaderStart start, LeaderState state, LeaderPorts ports, Sink sink) {
    this.state = state;
    this.time = ports.time();
    this.metrics = ports.metrics();
    this.sink = sink;
    this.baseNanos = start.takeover().electedNanos();
    // The ledger of usage is never ahead of the time, whatever an earlier leader's clock did.
    Instant since = start.leadership().since().orElseGet(time::instant);
    Instant told = state.usage().lastTold();
    this.baseTime = told.isAfter(since) ? told : since;
    this.lastBatch = start.lastBatch();
    this.version = start.version();
    JobViews views = new JobViews(state);
    this.reads = new LoopReads(state, views, time);
    this.vaults = new VaultDesk(state);
    this.users = new UserDesk(state, views, vaults);
    this.changes = new ChangeDesk(state, views, vaults, users);
    this.catalogs = new CatalogDesk(state, vaults);
    this.progress = new ProgressDesk(state);
    this.uses = new UseDesk(state);
    this.agents = new AgentDesk(state, catalogs, progress);
    this.contacts =
        new ContactSweep(
            start.takeover()::reported, state, agents, catalogs, time.monotonicNanos());
    this.catalog = state.catalog();
  }

  /// The catalog as of the last turn; for any thread.
  public CatalogView catalog() {
    return catalog;
  }

  /// Whether agents had reported to this leader, and all have fallen silent.
  public boolean isCutOff() {
    return contacts.isCutOff();
  }

  /// Monotonic time at which the loop has work even if no command comes.
  public long nextDeadline() {
    long deadline = nextSweepNanos;
    if (wakeAt.isPresent()) {
      long untilWake = Duration.between(instant(), wakeAt.get()).toNanos();
      deadline = Math.min(deadline, now() + Math.max(0, untilWake));
    }
    return deadline;
  }

  /// Takes the commands and all work that is due, in one or several turns.
  public void take(List<Command> commands) throws InterruptedException {
    LoopTurn turn = new LoopTurn(instant());
    WaitingCounts waitingMore = new WaitingCounts();
    for (Command command : commands) {
      if (isAlone(command)) {
        put(turn, false);
        turn = new LoopTurn(instant());
        handle(turn, command, waitingMore);
        put(turn, false);
        turn = new LoopTurn(instant());
        waitingMore = new WaitingCounts();
      } else {
        handle(turn, command, waitingMore);
      }
    }
    if (catalogs.isOverdue(turn.now())) {
      put(turn, false);
      turn = new LoopTurn(instant());
      catalogs.takeOverdue(turn);
      put(turn, false);
      turn = new LoopTurn(instant());
    }
    long now = now();
    if (now - nextSweepNanos >= 0 || state.isWindowOpen()) {
      progress.settle(turn);
      contacts.sweep(turn, now);
      agents.sweep(turn, now);
      state.usage().cut(turn);
      nextSweepNanos = now + state.settings().heartbeat().toNanos() / SWEEPS_PER_HEARTBEAT;
    }
    if (wakeAt.isPresent() && !turn.now().isBefore(wakeAt.get())) {
      wakeAt = Optional.empty();
      turn.inputs().add(new Input.TimePassed());
    }
    put(turn, false);
  }

  /// Whether the command needs a turn of its own. All checks of a turn then use the catalog that
  /// the turn is decided with. And no job is withdrawn in the turn in which another command changes
  /// it.
  private static boolean isAlone(Command command) {
    return command instanceof Command.CatalogMoved
        || command instanceof Command.BudgetsCounted
        || command instanceof Command.Judged;
  }

  /// Hands on the last step of a leader that ends in an orderly way.
  public void takeLast() throws InterruptedException {
    put(new LoopTurn(instant()), true);
  }

  private void handle(LoopTurn turn, Command command, WaitingCounts waitingMore) {
    switch (command) {
      case Command.Submit submit -> users.submit(turn, submit, waitingMore);
      case Command.Cancel cancel -> changes.cancel(turn, cancel);
      case Command.Requeue requeue -> changes.requeue(turn, requeue, waitingMore);
      case Command.Update update -> changes.update(turn, update, waitingMore);
      case Command.Many(var commands) -> commands.forEach(each -> handle(turn, each, waitingMore));
      case Command.Hello(AgentSession session, AgentHello hello) ->
          agents.hello(turn, session, hello);
      case Command.Report(AgentSession session, long sequence, AgentReport report) ->
          agents.report(turn, session, sequence, report);
      case Command.Closing(AgentSession session) -> agents.closing(turn, session);
      case Command.Changed(AgentSession session, NodeCondition condition) ->
          agents.changed(turn, session, condition);
      case Command.Progress(AgentSession session, List<ProgressReport> reports) ->
          progress.record(turn, session, reports);
      case Command.Used(AgentSession session, List<UseReport> reports) ->
          uses.record(session, reports);
      case Command.SessionEnded(AgentSession session) -> agents.ended(turn, session);
      case Command.Undelivered(var attempt, int worker) ->
          agents.undelivered(turn, attempt, worker);
      case Command.Barred barred -> vaults.barred(turn, barred);
      case Command.Judged judged -> vaults.judged(turn, judged);
      case Command.CatalogMoved(String source, CatalogUpdate update) ->
          catalogs.moved(turn, source, update);
      case Command.BudgetsCounted(var uses) -> state.budgets().counted(turn, uses);
      case Command.Ask<?> ask -> ask(turn, ask);
    }
  }

  private <T> void ask(LoopTurn turn, Command.Ask<T> ask) {
    // Answered after the turn, with its decisions.
    UserDesk.reply(
        turn,
        ask.reply(),
        () ->
            ask.question().apply(new LeaderView(state.core(), state.catalog(), reads, turn.now())));
  }

  /// Decides the turn and hands on the step.
  private void put(LoopTurn turn, boolean isLast) throws InterruptedException {
    if (turn.isEmpty() && !vaults.isDue() && !isLast) {
      return;
    }
    if (!turn.inputs().isEmpty()) {
      catalogs.withdrawStopped(turn);
      decide(turn);
    }
    state.phases().annotate(turn, lastBatch + 1);
    Optional<Batch> batch = Optional.empty();
    Batch made = turn.batch(lastBatch + 1, version);
    if (!made.isRenewal() || made.version() != version) {
      batch = Optional.of(made);
      lastBatch = made.id();
      version = made.version();
      turn.jobs().values().forEach(this::keep);
    }
    turn.replies().forEach(LoopTurn.Reply::settle);
    CatalogView current = state.catalog();
    if (current != catalog) {
      catalog = current;
    }
    // This turn is durable before the page is judged, so the reader finds the documents of its
    // jobs.
    Optional<VaultDesk.Page> unjudged = vaults.next();
    sink.put(
        new LoopStep(batch, turn.replies(), turn.dispatches(), turn.touched(), unjudged, isLast));
  }

  private void decide(LoopTurn turn) {
    long before = now();
    Decision decision = state.core().decide(turn.inputs(), turn.now());
    metrics.decided(now() - before, turn.inputs().size());
    wakeAt = decision.wakeAt();
    for (Decision.Refusal refusal : decision.refusals()) {
      Consumer<Denial> told = turn.refusals().get(refusal.input());
      if (told != null) {
        told.accept(refusal.denial());
      } else if (turn.inputs().get(refusal.input()) instanceof Input.JobSubmitted) {
        throw new IllegalStateException(
            "job %s passed the check and was refused: %s"
                .formatted(refusal.job(), refusal.denial()));
      }
    }
    state.recorder().record(turn, decision, state.catalog());
    state.usage().follow(turn, decision);
    state.phases().decided(turn, decision, instant());
  }

  /// Stores the job in memory. Its version is known only once the batch is made.
  private void keep(JobRecord job) {
    if (state.jobs().job(job.id()).isPresent()) {
      state.jobs().put(job);
    } else {
      state.jobs().departed(job.id(), job.version());
    }
  }

  /// The database's wall time at the election plus the monotonic time since. No clock adjustment
  /// moves it while this replica leads. Waits and protection times thus do not depend on whose
  /// clock is right after the next election.
  private Instant instant() {
    return baseTime.plusNanos(time.monotonicNanos() - baseNanos).truncatedTo(ChronoUnit.MICROS);
  }

  private long now() {
    return time.monotonicNanos();
  }
}
