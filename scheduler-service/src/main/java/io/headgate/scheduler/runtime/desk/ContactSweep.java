package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Event;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.WorkerKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Judges nodes by the length of their silence, by the monotonic clock alone. Confined to the loop.
public final class ContactSweep {
  private static final Logger LOG = LoggerFactory.getLogger(ContactSweep.class);

  /// More silent nodes than this, and more than [#SHARE] of all, point to a fault on the leader's
  /// side of the network.
  private static final int FEW = 3;

  private static final double SHARE = 0.2;

  /// The clocks of different machines differ by at most this part in the length of a second.
  private static final int SKEW = 20;

  private final ReportWindow window;
  private final LeaderState state;
  private final AgentDesk agents;
  private final CatalogDesk catalogs;
  private final long sinceNanos;
  private boolean alarmed;
  private boolean toldOfMany;
  private long manyAwayNanos;
  private boolean wereAllSuspect;
  private long allSuspectSinceNanos;
  private boolean cutOff;

  /// Hears that a new leader no longer waits for reports of nodes.
  @FunctionalInterface
  public interface ReportWindow {
    /// The leader waits for no further report.
    ///
    /// @param nodes that reported
    /// @param expected that had reported to earlier leaders
    void closed(int nodes, int expected);
  }

  public ContactSweep(
      ReportWindow window,
      LeaderState state,
      AgentDesk agents,
      CatalogDesk catalogs,
      long nowNanos) {
    this.window = window;
    this.state = state;
    this.agents = agents;
    this.catalogs = catalogs;
    this.sinceNanos = nowNanos;
  }

  public void sweep(LoopTurn turn, long nowNanos) {
    for (NodeRegistry.Entry entry : state.nodes.entries()) {
      judge(turn, entry, nowNanos);
    }
    if (state.windowOpen && mayCloseWindow(nowNanos)) {
      state.windowOpen = false;
      List<NodeRegistry.Entry> expected =
          state.nodes.entries().stream().filter(NodeRegistry.Entry::isExpected).toList();
      window.closed(
          (int) expected.stream().filter(entry -> entry.reported).count(), expected.size());
      state.nodes.entries().forEach(entry -> catalogs.tell(turn, entry));
    }
    giveUp(turn, nowNanos);
    state.nodes.forget(node -> !state.jobs.workersOn(node).isEmpty());
    cutOff = isCutOff(nowNanos);
  }

  /// Whether all nodes that reported to this leader have been suspect for longer than
  /// `suspect-after`. Nodes that close down or were deleted do not count. Either all agents are
  /// gone, or they reach another scheduler but not this one. A leader without reports is not cut
  /// off. Otherwise leadership would pass from one replica to the next although no machine answers
  /// any of them.
  public boolean isCutOff() {
    return cutOff;
  }

  private boolean isCutOff(long nowNanos) {
    List<NodeRegistry.Entry> expected =
        state.nodes.entries().stream()
            .filter(entry -> entry.reported && !entry.closing && entry.machine().isPresent())
            .toList();
    boolean allSuspect = !expected.isEmpty() && expected.stream().allMatch(entry -> entry.suspect);
    if (allSuspect && !wereAllSuspect) {
      allSuspectSinceNanos = nowNanos;
    }
    wereAllSuspect = allSuspect;
    return allSuspect && nowNanos - allSuspectSinceNanos > state.settings.suspectAfter().toNanos();
  }

  /// Whether every expected node has reported its attempts, or its time is over.
  private boolean mayCloseWindow(long nowNanos) {
    return nowNanos - sinceNanos > state.settings.reconcileWithin().toNanos()
        || state.nodes.entries().stream().noneMatch(entry -> entry.isExpected() && !entry.reported);
  }

  private void judge(LoopTurn turn, NodeRegistry.Entry entry, long nowNanos) {
    if (!entry.reported) {
      return;
    }
    long silence = nowNanos - state.nodes.clock(entry.id).heardNanos();
    boolean silent = silence > state.settings.suspectAfter().toNanos();
    if (silent && !entry.suspect) {
      entry.suspect = true;
      turn.note(
          new Event(EventType.NODE_SUSPECT, entry.id.tenant())
              .node(entry.id.name())
              .message(
                  "%s has sent nothing for %d s: it gets no new work, its running jobs go on"
                      .formatted(entry.id.name(), Duration.ofNanos(silence).toSeconds())));
      agents.reject(turn, entry);
      catalogs.tell(turn, entry);
    } else if (!silent && entry.suspect && entry.session().isPresent()) {
      // On the stream that it had before: no Hello says so.
      entry.suspect = false;
      entry.lost = false;
      turn.note(
          new Event(EventType.NODE_CONNECTED, entry.id.tenant())
              .node(entry.id.name())
              .message(entry.id.name() + " is heard again"));
      catalogs.tell(turn, entry);
    }
  }

  /// Uses slices again once their supervisors have certainly ended them. That is `stopAfter` and a
  /// twentieth of it plus a margin after the last answer that this leader sent, and not before its
  /// own take-over. Slices of deleted machines, too.
  private void giveUp(LoopTurn turn, long nowNanos) {
    if (manyAway(nowNanos)) {
      return;
    }
    for (NodeRegistry.Entry entry : state.nodes.entries()) {
      if (entry.reported && !entry.suspect) {
        continue;
      }
      long silence = nowNanos - state.nodes.clock(entry.id).answeredNanos();
      for (WorkerKey key : state.jobs.workersOn(entry.id)) {
        AttemptRecord attempt = state.jobs.attempt(key.attempt()).orElseThrow();
        Attempt decided = attempt.attempt();
        Optional<Duration> patience = patience(entry, attempt);
        if (patience.isEmpty()
            || !decided.workers().get(key.worker()).isLive()
            || silence <= patience.get().toNanos()) {
          continue;
        }
        turn.inputs.add(new Input.WorkerLost(key.attempt(), key.worker()));
        if (!entry.lost) {
          entry.lost = true;
          turn.note(
              new Event(EventType.NODE_LOST, entry.id.tenant())
                  .node(entry.id.name())
                  .message(
                      entry.id.name()
                          + (attempt.stopAfter().isPresent()
                              ? " is given up: its supervisors have ended its jobs"
                              : " is given up: it was deleted while it was out of contact")));
        }
      }
    }
  }

  /// How long a node is silent when the attempt is given up; absent: for ever. An operator who
  /// deletes a machine thereby declares that it does not come back. An attempt that its supervisor
  /// never ends waits for that.
  private Optional<Duration> patience(NodeRegistry.Entry entry, AttemptRecord attempt) {
    Optional<Duration> certain = attempt.stopAfter().map(this::certainlyOver);
    return certain.isPresent() || entry.machine().isPresent()
        ? certain
        : Optional.of(state.settings.suspectAfter());
  }

  /// The clock of the supervisor may be a twentieth slower than this one.
  private Duration certainlyOver(Duration stopAfter) {
    return stopAfter.plus(stopAfter.dividedBy(SKEW)).plus(state.settings.stopMargin());
  }

  /// True for a while after the wave has ended, too. Nodes come back one after the other, and the
  /// last ones must not be given up because few are left.
  private boolean manyAway(long nowNanos) {
    int known = 0;
    int away = 0;
    for (NodeRegistry.Entry entry : state.nodes.entries()) {
      if (entry.isExpected()) {
        known++;
        away += !entry.reported || entry.suspect ? 1 : 0;
      }
    }
    boolean many = away > FEW && away > SHARE * known;
    // While a new leader waits for reports, missing nodes have merely not come back yet.
    if (many && !toldOfMany && !state.windowOpen) {
      toldOfMany = true;
      LOG.error(
          "{} of {} nodes are out of contact at once: none of their jobs is given up until more"
              + " nodes are back",
          away,
          known);
    }
    if (many) {
      manyAwayNanos = nowNanos;
    }
    alarmed =
        many || (alarmed && nowNanos - manyAwayNanos <= state.settings.reconcileWithin().toNanos());
    toldOfMany &= alarmed;
    return alarmed;
  }
}
