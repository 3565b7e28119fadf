package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.UseReport;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import java.util.List;
import java.util.Optional;

/// Keeps the last use that agents report of each live attempt, in memory. It is written with the
/// attempt's next row, and thus with its end, so reports cost no batch. If the leader dies, the
/// agents repeat them to the next leader. Confined to the loop.
public final class UseDesk {
  private final LeaderState state;

  public UseDesk(LeaderState state) {
    this.state = state;
  }

  /// Nothing follows from it.
  public void record(AgentSession session, List<UseReport> reports) {
    if (!state.nodes.entry(session.node()).session().equals(Optional.of(session))) {
      return;
    }
    for (UseReport report : reports) {
      state
          .jobs
          .attempt(session.node(), report.worker())
          .ifPresent(attempt -> {
            int worker = report.worker().worker();
            WorkerFacts facts = attempt.workers().get(worker);
            state.jobs.change(attempt.with(worker, facts.with(facts.use().after(report.use()))));
          });
    }
  }
}
