package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.ProgressReport;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Progress;
import io.headgate.scheduler.runtime.record.Progress.Advance;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Buffers progress reports until they can be written together with other rows. Only the latest
/// report of each attempt counts, so all reports together cost one or two batches a second at any
/// rate. If the leader dies, the agents repeat the buffered reports to the next leader. Confined to
/// the loop.
public final class ProgressDesk {
  /// Attempts of one batch. The others' words wait for the next one, and newer ones replace them.
  private static final int MAX_SETTLED = 1_000;

  private final LeaderState state;

  /// Live attempts only, so the map is bounded. The longest-waiting report comes first.
  private final Map<AttemptId, Heard> heard = new LinkedHashMap<>();

  private record Heard(ProgressReport report, Instant at) {}

  public ProgressDesk(LeaderState state) {
    this.state = state;
  }

  /// Nothing follows from it in this turn.
  public void record(LoopTurn turn, AgentSession session, List<ProgressReport> reports) {
    if (!state.nodes.entry(session.node()).session().equals(Optional.of(session))) {
      return;
    }
    for (ProgressReport report : reports) {
      state
          .jobs
          .attempt(session.node(), report.worker())
          .ifPresent(attempt -> heard.put(attempt.id(), new Heard(report, turn.now)));
    }
  }

  /// Takes all pending progress into the turn.
  public void settle(LoopTurn turn) {
    Iterator<Map.Entry<AttemptId, Heard>> next = heard.entrySet().iterator();
    for (int i = 0; i < MAX_SETTLED && next.hasNext(); i++) {
      Map.Entry<AttemptId, Heard> entry = next.next();
      next.remove();
      state.jobs.attempt(entry.getKey()).ifPresent(live -> take(turn, live, entry.getValue()));
    }
  }

  /// Takes the pending progress of this attempt into the turn: its end may be next.
  ///
  /// @return the attempt as it is then
  public AttemptRecord settle(LoopTurn turn, AttemptRecord attempt) {
    Heard last = heard.remove(attempt.id());
    return last == null ? attempt : take(turn, attempt, last);
  }

  private AttemptRecord take(LoopTurn turn, AttemptRecord attempt, Heard last) {
    ProgressReport report = last.report();
    Progress before = attempt.progress();
    Optional<Advance> said =
        report.permyriad().isPresent()
            ? Optional.of(new Advance(report.permyriad().getAsInt(), report.message(), last.at()))
            : Optional.empty();
    boolean isNews =
        said.isPresent() && !before.advance().filter(said.get()::isSameReport).isPresent();
    boolean hasSaved =
        report.checkpointMark() != 0 && report.checkpointMark() != before.checkpointMark();
    if (!isNews && !hasSaved) {
      return attempt;
    }
    AttemptRecord changed =
        attempt.with(
            new Progress(
                isNews ? said : before.advance(),
                hasSaved ? report.checkpointMark() : before.checkpointMark()));
    state.jobs.change(changed);
    turn.attempts.put(changed.id(), changed);
    if (hasSaved) {
      Instant at = last.at().minus(report.checkpointAge());
      turn.inputs.add(new Input.AttemptCheckpointed(changed.id(), notBefore(at, changed)));
    }
    return changed;
  }

  /// A time reported by an agent is never earlier than a known one.
  private static Instant notBefore(Instant at, AttemptRecord attempt) {
    Attempt known = attempt.attempt();
    return Stream.of(Optional.of(known.assignedAt()), known.startedAt(), known.checkpointAt())
        .flatMap(Optional::stream)
        .filter(at::isBefore)
        .max(Instant::compareTo)
        .orElse(at);
  }
}
