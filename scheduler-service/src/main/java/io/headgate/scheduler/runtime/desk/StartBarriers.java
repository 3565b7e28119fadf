package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.WorkerAddress;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// Starts the programs of a gang together: once the agents of all its workers have reported that
/// they are prepared, each is told to start, and where the others are.
///
/// Nothing of this is stored. Agents repeat the address of a prepared worker in every report, so a
/// new leader knows it again after their Hello, and tells the workers that still wait. Confined to
/// the loop.
final class StartBarriers {
  /// How long prepared workers wait for the others. An image of many GiB may take half of that.
  static final Duration PATIENCE = Duration.ofMinutes(30);

  private final LeaderState state;
  private final Map<AttemptId, Gang> gangs =
      new TreeMap<>((a, b) ->
          a.job().equals(b.job())
              ? Integer.compare(a.number(), b.number())
              : Long.compare(a.job().value(), b.job().value()));

  /// The workers of one attempt.
  ///
  /// @param addresses by worker; those that are missing are not known to be prepared
  /// @param workers how many there are
  /// @param sinceNanos when this leader first heard of a prepared worker
  private record Gang(SortedMap<Integer, WorkerAddress> addresses, int workers, long sinceNanos) {
    boolean isComplete() {
      return addresses.size() == workers;
    }
  }

  StartBarriers(LeaderState state) {
    this.state = state;
  }

  /// Takes note of a report about a live worker.
  void reported(
      LoopTurn turn, JobRecord job, AttemptRecord attempt, AgentReport report, long nowNanos) {
    int workers = attempt.attempt().workers().size();
    Optional<WorkerAddress> address = address(attempt, report);
    if (workers == 1 || address.isEmpty()) {
      return;
    }
    Gang gang =
        gangs.computeIfAbsent(attempt.id(), _ -> new Gang(new TreeMap<>(), workers, nowNanos));
    boolean isNews =
        !address.equals(Optional.ofNullable(gang.addresses().put(report.worker(), address.get())));
    if (!gang.isComplete() || attempt.attempt().stop().isPresent()) {
      return;
    }
    for (int worker = 0; worker < workers; worker++) {
      boolean waits = attempt.attempt().workers().get(worker) == WorkerStatus.ASSIGNED;
      boolean asks = worker == report.worker() && report.state() == AgentReport.State.STARTING;
      if (waits && (isNews || asks)) {
        turn.dispatches.add(
            state.orders.go(job, attempt, worker, List.copyOf(gang.addresses().values())));
      }
    }
  }

  /// A worker that runs without having waited is one of an agent that knows no barrier.
  private static Optional<WorkerAddress> address(AttemptRecord attempt, AgentReport report) {
    return report.state() == AgentReport.State.RUNNING
        ? report
            .address()
            .or(() ->
                Optional.of(
                    new WorkerAddress(
                        attempt.attempt().assignment().workers().get(report.worker()).node().name(),
                        0)))
        : report.address();
  }

  /// Queues the jobs again whose prepared workers wait too long.
  void sweep(LoopTurn turn, long nowNanos) {
    Iterator<Map.Entry<AttemptId, Gang>> each = gangs.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<AttemptId, Gang> entry = each.next();
      Gang gang = entry.getValue();
      Optional<AttemptRecord> live = state.jobs.attempt(entry.getKey());
      if (live.isEmpty()) {
        each.remove();
      } else if (live.get().attempt().stop().isEmpty()
          && live.get().attempt().startedAt().isEmpty()
          && !gang.isComplete()
          && nowNanos - gang.sinceNanos() > PATIENCE.toNanos()) {
        JobRecord job = state.jobs.job(entry.getKey().job()).orElseThrow();
        turn.requeueCauses.put(job.id(), ": " + missing(live.get().attempt(), gang));
        turn.inputs.add(new Input.JobRequeued(job.job()));
        each.remove();
      }
    }
  }

  /// Example: `worker 3 on n4 was not ready within 30 min, and 2 more`.
  private static String missing(Attempt attempt, Gang gang) {
    List<Integer> late =
        IntStream.range(0, gang.workers())
            .filter(worker -> !gang.addresses().containsKey(worker))
            .boxed()
            .toList();
    return "worker %d on %s was not ready within %d min%s"
        .formatted(
            late.getFirst(),
            attempt.assignment().workers().get(late.getFirst()).node().name(),
            PATIENCE.toMinutes(),
            late.size() == 1 ? "" : ", and " + (late.size() - 1) + " more");
  }
}
