package io.headgate.scheduler.runtime;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The leader's state, to be read on its loop only.
///
/// @param core for queries; a question must not decide
public record LeaderView(SchedulerCore core, CatalogView catalog, Reads reads, Instant now) {

  /// What the core does not know.
  public interface Reads {
    Optional<JobRecord> job(JobId id);

    /// A job that was read from the database, as it is now.
    JobView refresh(JobView read);

    /// Contact with each node, by node.
    List<Contact> contacts();

    /// When the longest waiting job of each queue or policy was submitted is read from these.
    Iterable<JobRecord> jobs();

    Optional<AttemptRecord> attempt(JobId job);

    /// Ids of the jobs with a live attempt there.
    List<String> jobsOn(NodeId node);
  }

  /// Contact with a node.
  ///
  /// @param heardAgoNanos since the last message; negative: never
  public record Contact(NodeId node, State state, long heardAgoNanos) {
    /// How the scheduler stands with a node.
    public enum State {
      CONNECTED,
      SUSPECT,
      LOST,
      NEVER
    }
  }
}
