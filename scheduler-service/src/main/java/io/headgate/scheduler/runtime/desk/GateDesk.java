package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.submission.Prerequisite;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Finds out what jobs still have to wait for before they take their places. Confined to the loop.
final class GateDesk {
  private final LeaderState state;

  GateDesk(LeaderState state) {
    this.state = state;
  }

  /// The outcome for one job.
  sealed interface Found {
    /// The gate that is left.
    record Left(Gate gate) implements Found {}

    /// It could never start.
    ///
    /// @param ended how the other job ended
    record NeverMet(Dependency dependency, JobState ended) implements Found {}

    /// The caller's copy of another job is older than the durable one: read it again.
    record Outdated() implements Found {}
  }

  /// @param first id of the first job of the batch
  Found ofNew(NewJob job, long first) {
    List<Dependency> left = new ArrayList<>();
    for (Prerequisite prerequisite : job.after()) {
      Optional<Found> problem =
          switch (prerequisite) {
            case Prerequisite.InBatch(int index, Condition condition, String name) -> {
              left.add(new Dependency(new JobId(first + index), name, condition));
              yield Optional.empty();
            }
            case Prerequisite.Stored(JobRecord known, Condition condition) ->
                add(new Dependency(known.id(), known.name().id(), condition), known, left);
          };
      if (problem.isPresent()) {
        return problem.get();
      }
    }
    return new Found.Left(new Gate(job.notBefore(), left));
  }

  /// The gate of a job that is queued anew. A prerequisite that is no longer stored ended long ago,
  /// and counts as ended in the way that is asked for.
  ///
  /// @param prerequisites as the database had them
  Found ofRequeued(Gate before, List<JobRecord> prerequisites) {
    Map<JobId, JobRecord> known = new HashMap<>();
    prerequisites.forEach(job -> known.put(job.id(), job));
    List<Dependency> left = new ArrayList<>();
    for (Dependency dependency : before.after()) {
      JobRecord record = known.get(dependency.on());
      Optional<Found> problem = record == null ? Optional.empty() : add(dependency, record, left);
      if (problem.isPresent()) {
        return problem.get();
      }
    }
    return new Found.Left(new Gate(before.notBefore(), left));
  }

  private Optional<Found> add(Dependency dependency, JobRecord known, List<Dependency> left) {
    if (state.jobs.job(known.id()).isPresent()) {
      left.add(dependency);
      return Optional.empty();
    }
    Long departed = state.jobs.departedAt(known.id());
    if (departed != null && departed > known.version()) {
      return Optional.of(new Found.Outdated());
    }
    if (!known.state().isTerminal()) {
      left.add(dependency);
      return Optional.empty();
    }
    return dependency.isMetBy(known.state())
        ? Optional.empty()
        : Optional.of(new Found.NeverMet(dependency, known.state()));
  }
}
