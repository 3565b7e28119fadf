package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One run of a job, live or ended: one row of `attempt` with its workers.
///
/// @param attempt as the core has it, or had it when it ended
/// @param epoch of the leader that assigned it
/// @param stopAfter its supervisors stop it after this long without contact; absent: never
/// @param skipCallback its user asked to stop it without the abort callback
/// @param stop in words, with whom it had to go for; absent unless it was asked to stop
/// @param workers what agents said of each worker, by worker
/// @param progress what its program said of itself
/// @param metered the present interval of its usage; absent: it has no slices
/// @param ending absent: it is live
public record AttemptRecord(
    Attempt attempt,
    long epoch,
    Optional<Duration> stopAfter,
    boolean skipCallback,
    Optional<StopNote> stop,
    List<WorkerFacts> workers,
    Progress progress,
    Optional<Metered> metered,
    Optional<Ending> ending) {
  public AttemptRecord {
    workers = List.copyOf(workers);
  }

  /// A stop for people.
  ///
  /// @param byJob id of the job that takes the place; empty: none does
  public record StopNote(String byJob, String message) {}

  /// How an attempt ended.
  ///
  /// @param error in one sentence; empty: nothing went wrong
  public record Ending(Instant at, Outcome outcome, Optional<Integer> exitCode, String error) {}

  /// The interval of usage that lasts.
  ///
  /// @param since when it began
  /// @param busyMillis GPU time in which earlier intervals computed, as [SliceUse#busyMillis]
  /// @param measuredMillis GPU time over which that was measured
  public record Metered(Instant since, long busyMillis, long measuredMillis) {}

  /// How an attempt ended, in the words of the contract.
  public enum Outcome {
    SUCCEEDED,
    FAILED,
    REQUEUED,
    CANCELLED,
    TIMED_OUT,
    LOST,
    REJECTED
  }

  /// A fresh one.
  public static AttemptRecord begin(Attempt attempt, long epoch, Optional<Duration> stopAfter) {
    List<WorkerFacts> workers = new ArrayList<>();
    for (int i = 0; i < attempt.workers().size(); i++) {
      workers.add(WorkerFacts.NONE);
    }
    return new AttemptRecord(
        attempt,
        epoch,
        stopAfter,
        false,
        Optional.empty(),
        workers,
        Progress.NONE,
        Optional.empty(),
        Optional.empty());
  }

  public AttemptId id() {
    return attempt.id();
  }

  /// Whether no agent has acted on the worker's assignment: none was told, or none received it.
  /// Agents record an assignment before they act on it, and no report came. A suspended attempt
  /// that goes on was started before, so it counts as told.
  public boolean isUntold(int worker) {
    return attempt.workers().get(worker) == WorkerStatus.ASSIGNED
        && attempt.stop().isEmpty()
        && attempt.startedAt().isEmpty();
  }

  /// The use that it makes of its slices, all workers together.
  public SliceUse use() {
    List<SliceUse.Weighted> each = new ArrayList<>();
    for (int worker = 0; worker < workers.size(); worker++) {
      long units =
          attempt.assignment().workers().get(worker).slices().stream()
              .mapToLong(slice -> slice.quantity().units())
              .sum();
      each.add(new SliceUse.Weighted(workers.get(worker).use(), units));
    }
    SliceUse total = SliceUse.total(each);
    return ending.isPresent() ? total.ended() : total;
  }

  public boolean isOn(NodeId node, int worker) {
    return worker < workers.size()
        && attempt.assignment().workers().get(worker).node().equals(node);
  }

  public AttemptRecord with(Attempt newAttempt) {
    return new AttemptRecord(
        newAttempt, epoch, stopAfter, skipCallback, stop, workers, progress, metered, ending);
  }

  public AttemptRecord with(int worker, WorkerFacts facts) {
    List<WorkerFacts> all = new ArrayList<>(workers);
    all.set(worker, facts);
    return new AttemptRecord(
        attempt, epoch, stopAfter, skipCallback, stop, all, progress, metered, ending);
  }

  public AttemptRecord with(Progress said) {
    return new AttemptRecord(
        attempt, epoch, stopAfter, skipCallback, stop, workers, said, metered, ending);
  }

  public AttemptRecord withStop(StopNote note) {
    return new AttemptRecord(
        attempt,
        epoch,
        stopAfter,
        skipCallback,
        Optional.of(note),
        workers,
        progress,
        metered,
        ending);
  }

  /// The attempt resumes after a suspension. Its earlier stop is forgotten, and the next stop is a
  /// new one.
  public AttemptRecord resumed(Attempt newAttempt) {
    return new AttemptRecord(
        newAttempt,
        epoch,
        stopAfter,
        false,
        Optional.empty(),
        workers.stream().map(WorkerFacts::withoutStop).toList(),
        progress,
        metered,
        ending);
  }

  /// It has no slices any more.
  public AttemptRecord unmetered() {
    return new AttemptRecord(
        attempt, epoch, stopAfter, skipCallback, stop, workers, progress, Optional.empty(), ending);
  }

  /// Another interval of its usage has begun.
  public AttemptRecord metered(Metered interval) {
    return new AttemptRecord(
        attempt,
        epoch,
        stopAfter,
        skipCallback,
        stop,
        workers,
        progress,
        Optional.of(interval),
        ending);
  }

  public AttemptRecord withSkipCallback() {
    return new AttemptRecord(
        attempt, epoch, stopAfter, true, stop, workers, progress, metered, ending);
  }

  public AttemptRecord withEnding(Ending end) {
    return new AttemptRecord(
        attempt,
        epoch,
        stopAfter,
        skipCallback,
        stop,
        workers,
        progress,
        metered,
        Optional.of(end));
  }
}
