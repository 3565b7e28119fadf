package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentCommand.StopKind;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.agent.NodeCondition;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Event;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.scheduler.runtime.record.WorkerKey;
import io.headgate.scheduler.runtime.record.WorkerName;
import io.headgate.scheduler.runtime.text.DecisionText;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Handles the messages of agents. An agent is trusted only about its own node: it can report on
/// attempts that were assigned to that node, and on nothing else. Every message may come twice,
/// late, or in another order. Confined to the loop.
public final class AgentDesk {
  private static final Logger LOG = LoggerFactory.getLogger(AgentDesk.class);

  /// Exit codes by which a shell reports a program that cannot be run, or one ended by SIGKILL or
  /// SIGTERM.
  private static final int CANNOT_RUN = 127;

  private static final int KILLED = 137;
  private static final int ENDED_BY_TERM = 143;

  private final LeaderState state;
  private final CatalogDesk catalogs;
  private final ProgressDesk progress;
  private final StartBarriers barriers;

  public AgentDesk(LeaderState state, CatalogDesk catalogs, ProgressDesk progress) {
    this.state = state;
    this.catalogs = catalogs;
    this.progress = progress;
    this.barriers = new StartBarriers(state);
  }

  /// Takes over the node's stream and compares the machine's attempts with the durable ones.
  public void hello(LoopTurn turn, AgentSession session, AgentHello hello) {
    NodeId node = session.node();
    NodeRegistry.Entry entry = state.nodes.entry(node);
    entry
        .session()
        .filter(old -> !old.equals(session))
        .ifPresent(old -> {
          turn.dispatches.add(new Dispatch.Shut(old));
          old.endReplaced();
        });
    boolean rebooted =
        entry.contact().map(contact -> !contact.bootId().equals(hello.bootId())).orElse(false);
    boolean again =
        entry.contact().filter(old -> old.sessionId().equals(hello.sessionId())).isPresent();
    NodeContact contact =
        new NodeContact(
            node,
            hello.bootId(),
            hello.sessionId(),
            hello.agentVersion(),
            hello.simulated(),
            turn.now);
    long acknowledged = entry.sequence.open(hello.sessionId());
    entry.session = session;
    entry.contact = contact;
    entry.reported = true;
    entry.suspect = false;
    entry.lost = false;
    entry.runsImages = hello.runsImages();
    entry.imageRules = state.nodes.shared(hello.imageRules());
    // A new stream of the same agent process does not end its shutdown; a new process does.
    entry.closing = entry.closing && again;
    entry.undelivered.clear();
    // Its first heartbeat says it anew.
    entry.unusable = Set.of();
    turn.contacts.add(contact);
    turn.dispatches.add(
        new Dispatch.Open(
            session,
            new AgentCommand.Welcome(state.leadership, state.settings.heartbeat(), acknowledged)));
    turn.note(
        new Event(EventType.NODE_CONNECTED, node.tenant())
            .node(node.name())
            .message(node.name() + (rebooted ? " is connected after a reboot" : " is connected")));
    if (hello.closing()) {
      close(turn, entry);
    }
    Set<WorkerKey> reported = new HashSet<>();
    for (AgentReport report : hello.attempts()) {
      take(turn, node, report, Optional.of(reported));
    }
    for (WorkerKey key : state.jobs.workersOn(node)) {
      if (!reported.contains(key)) {
        missing(turn, key);
      }
    }
    catalogs.tell(turn, entry);
  }

  /// Handles a live worker of which the machine has no record. A Hello alone proves no loss, not
  /// even one with another boot id: it may be an old message that arrives late, on a stream that is
  /// closed.
  private void missing(LoopTurn turn, WorkerKey key) {
    AttemptRecord attempt = state.jobs.attempt(key.attempt()).orElseThrow();
    JobRecord job = state.jobs.job(key.attempt().job()).orElseThrow();
    WorkerStatus status = attempt.attempt().workers().get(key.worker());
    if (!status.isLive() || turn.rejected.contains(key)) {
      return;
    }
    Optional<String> untellable = state.untellable(attempt, key.worker());
    if (untellable.isPresent()) {
      turn.rejected.add(key);
      turn.inputs.add(new Input.WorkerUndelivered(key.attempt(), key.worker(), untellable.get()));
    } else if (attempt.isUntold(key.worker())) {
      turn.dispatches.add(state.orders.run(turn, job, attempt, key.worker(), state.catalog));
    } else {
      // The answer to a stop of something unknown is the proof that it is gone.
      turn.dispatches.add(state.orders.stop(job, attempt, key.worker()));
    }
  }

  /// An update, which is acknowledged once what follows from it is durable.
  public void report(LoopTurn turn, AgentSession session, long sequence, AgentReport report) {
    NodeRegistry.Entry entry = state.nodes.entry(session.node());
    if (entry.session().filter(session::equals).isEmpty()) {
      // A session that was replaced: the new one sends unacknowledged reports again.
      return;
    }
    take(turn, session.node(), report, Optional.empty());
    turn.dispatches.add(new Dispatch.Acknowledge(session, entry.sequence.take(sequence)));
  }

  /// Takes no new work from now on: what its agent is about to stop does not come back to it.
  public void closing(LoopTurn turn, AgentSession session) {
    NodeRegistry.Entry entry = state.nodes.entry(session.node());
    if (entry.session().filter(session::equals).isPresent()) {
      close(turn, entry);
      catalogs.tell(turn, entry);
    }
  }

  /// The agent reported a new condition. The catalog reports the same of its devices a moment
  /// later, with the cause.
  public void changed(LoopTurn turn, AgentSession session, NodeCondition condition) {
    NodeRegistry.Entry entry = state.nodes.entry(session.node());
    if (entry.session().filter(session::equals).isPresent()) {
      entry.unusable = condition.unusableDevices();
      entry.runsImages = condition.runsImages().orElse(entry.runsImages);
      catalogs.tell(turn, entry);
    }
  }

  /// Gives up gangs that wait too long at their start barrier.
  public void sweep(LoopTurn turn, long nowNanos) {
    barriers.sweep(turn, nowNanos);
  }

  private static void close(LoopTurn turn, NodeRegistry.Entry entry) {
    if (!entry.closing) {
      entry.closing = true;
      LOG.info("{} is being shut down", entry.id);
      turn.note(
          new Event(EventType.NODE_CLOSING, entry.id.tenant())
              .node(entry.id.name())
              .message(entry.id.name() + " is being shut down"));
    }
  }

  public void ended(LoopTurn turn, AgentSession session) {
    NodeRegistry.Entry entry = state.nodes.entry(session.node());
    if (entry.session().filter(session::equals).isPresent()) {
      entry.session = null;
      turn.dispatches.add(new Dispatch.Shut(session));
    }
  }

  /// The node may come back before it is suspect; then Hello finds the worker missing.
  public void undelivered(LoopTurn turn, AttemptId attempt, int worker) {
    state
        .jobs
        .attempt(attempt)
        .ifPresent(known -> {
          NodeId node = known.attempt().assignment().workers().get(worker).node();
          NodeRegistry.Entry entry = state.nodes.entry(node);
          if (entry.session().isEmpty()) {
            entry.undelivered.add(new WorkerKey(attempt, worker));
            if (entry.suspect) {
              reject(turn, entry);
            }
          }
        });
  }

  /// Gives up the workers that no agent was told to start. They do not run, so there is no need to
  /// wait for the node.
  void reject(LoopTurn turn, NodeRegistry.Entry entry) {
    for (WorkerKey key : entry.undelivered) {
      Optional<Attempt> attempt = state.jobs.attempt(key.attempt()).map(AttemptRecord::attempt);
      if (attempt.isPresent()
          && attempt.get().workers().get(key.worker()) == WorkerStatus.ASSIGNED) {
        turn.rejected.add(key);
        turn.inputs.add(
            new Input.WorkerUndelivered(
                key.attempt(),
                key.worker(),
                entry.id.name() + " lost contact before it got the assignment"));
      }
    }
    entry.undelivered.clear();
  }

  private void take(
      LoopTurn turn, NodeId node, AgentReport report, Optional<Set<WorkerKey>> reported) {
    Optional<AttemptRecord> known =
        state.jobs.attempt(node, worker(report)).map(live -> progress.settle(turn, live));
    if (known.isEmpty()) {
      boolean isLate = reported.isEmpty() && state.jobs.hasEnded(report);
      if (!isLate || report.state() == AgentReport.State.ENDED) {
        stranger(turn, node, report);
      }
      return;
    }
    AttemptRecord attempt = known.get();
    JobRecord job = state.jobs.job(attempt.id().job()).orElseThrow();
    int worker = report.worker();
    reported.ifPresent(all -> all.add(new WorkerKey(attempt.id(), worker)));
    Optional<AgentReport.StopPhase> ended =
        report
            .phase()
            .filter(phase -> !phase.result().isEmpty())
            // Reports are cumulative and may come twice: a phase ends once.
            .filter(phase -> !attempt.workers().get(worker).stopPhases().contains(phase.name()));
    remember(turn, attempt, report, ended);
    ended.ifPresent(phase -> note(turn, job, attempt, phase));
    barriers.reported(turn, job, attempt, report, state.nodes.clock(node).heardNanos());
    WorkerStatus status = attempt.attempt().workers().get(worker);
    switch (report.state()) {
      case STARTING -> {
        // Nothing is known of it yet that was not decided.
      }
      case RUNNING -> {
        if (status == WorkerStatus.ASSIGNED) {
          turn.inputs.add(new Input.WorkerStarted(attempt.id(), worker, turn.now));
        }
      }
      case STOPPING -> {
        // Its phases are events, noted above.
      }
      case SUSPENDED -> suspended(turn, job, attempt, report);
      case ENDED -> {
        if (status.isLive()) {
          ended(turn, attempt, report);
        } else {
          forget(turn, node, report);
        }
      }
    }
    boolean unaware =
        report.state() == AgentReport.State.STARTING || report.state() == AgentReport.State.RUNNING;
    if (reported.isPresent() && unaware && attempt.attempt().stop().isPresent()) {
      turn.dispatches.add(state.orders.stop(job, attempt, worker));
    }
  }

  /// The order may be another one by now: then the agent hears it again.
  private void suspended(LoopTurn turn, JobRecord job, AttemptRecord attempt, AgentReport report) {
    int worker = report.worker();
    Optional<StopOrder> order = attempt.attempt().stop();
    if (order.isEmpty()) {
      turn.dispatches.add(state.orders.resume(job, attempt));
    } else if (AgentOrders.suspension(order.get()) != report.suspension()) {
      turn.dispatches.add(state.orders.stop(job, attempt, worker));
    } else {
      turn.inputs.add(new Input.WorkerSuspended(attempt.id(), worker));
    }
  }

  /// Handles a reported worker that is not, or no longer, assigned to the node: it is stopped, and
  /// then forgotten.
  private void stranger(LoopTurn turn, NodeId node, AgentReport report) {
    if (report.state() == AgentReport.State.ENDED) {
      forget(turn, node, report);
      return;
    }
    LOG.warn(
        "{} runs {} attempt {} worker {}, which is not assigned to it: the scheduler tells it to"
            + " stop it",
        node,
        report.job(),
        report.attempt(),
        report.worker());
    turn.dispatches.add(
        new Dispatch.Say(
            node,
            new AgentCommand.Stop(state.leadership, worker(report), StopKind.ORPHAN, false, 0)));
  }

  private void forget(LoopTurn turn, NodeId node, AgentReport report) {
    turn.dispatches.add(new Dispatch.Say(node, new AgentCommand.Forget(worker(report))));
  }

  private static WorkerName worker(AgentReport report) {
    return new WorkerName(report.job(), report.uid(), report.attempt(), report.worker());
  }

  private void remember(
      LoopTurn turn,
      AttemptRecord attempt,
      AgentReport report,
      Optional<AgentReport.StopPhase> endedPhase) {
    WorkerFacts before = attempt.workers().get(report.worker());
    WorkerFacts after =
        new WorkerFacts(
            before.startedAt().or(report::startedAt),
            before.endedAt().or(report::endedAt),
            before.endReason().or(report::endReason),
            before.exitCode().or(report::exitCode),
            before.error().isEmpty() ? report.error() : before.error(),
            Stream.concat(
                    before.stopPhases().stream(),
                    endedPhase.map(AgentReport.StopPhase::name).stream())
                .toList(),
            before.use());
    if (!after.equals(before)) {
      AttemptRecord changed = attempt.with(report.worker(), after);
      state.jobs.change(changed);
      turn.attempts.put(changed.id(), changed);
    }
  }

  private static void ended(LoopTurn turn, AttemptRecord attempt, AgentReport report) {
    AttemptId id = attempt.id();
    int worker = report.worker();
    int code = report.exitCode().orElse(0);
    turn.inputs.add(
        switch (report.endReason().orElse(WorkerFacts.EndReason.LOST)) {
          case EXITED -> new Input.WorkerExited(id, worker, code);
          case TIME_LIMIT -> new Input.WorkerExited(id, worker, code == 0 ? ENDED_BY_TERM : code);
          // Its own doing, whatever it said at last: it would do the same again.
          case LIMIT_EXCEEDED -> new Input.WorkerExited(id, worker, code == 0 ? KILLED : code);
          case START_FAILED -> new Input.WorkerExited(id, worker, code == 0 ? CANNOT_RUN : code);
          // Unasked, it waits again.
          case STOPPED, NODE_STOPPED -> new Input.WorkerStopped(id, worker);
          case REJECTED -> new Input.WorkerRejected(id, worker, report.error());
          case OUT_OF_CONTACT, LOST, DEVICE_FAILED -> new Input.WorkerLost(id, worker);
        });
  }

  private static void note(
      LoopTurn turn, JobRecord job, AttemptRecord attempt, AgentReport.StopPhase phase) {
    Optional<String> took = phase.took().map(duration -> Long.toString(duration.toMillis()));
    turn.note(
        JobNotes.about(job, EventType.STOP_PHASE)
            .attempt(attempt.id().number())
            .message(
                "%s: %s %s%s"
                    .formatted(
                        job.name().id(),
                        phase.name(),
                        phase.result(),
                        took.map(millis -> " after " + millis + " ms").orElse("")))
            .detail(
                DecisionText.detail(
                    "phase",
                    phase.name(),
                    "result",
                    phase.result(),
                    "durationMs",
                    took.orElse(""))));
  }
}
