package io.headgate.scheduler.runtime.submission;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.NameCounter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Jobs that one request submits: all or none.
///
/// @param request absent: the request is not idempotent
/// @param counters counters of the numbered names among the jobs
/// @param catalog the catalog that the jobs were checked against
public record Submission(
    List<NewJob> jobs,
    Optional<RequestKey> request,
    List<NameCounter> counters,
    CatalogView catalog) {
  public Submission {
    jobs = List.copyOf(jobs);
    counters = List.copyOf(counters);
  }

  /// One job of the submission.
  ///
  /// @param byRole admitted as an admin, not as a member of the policy's group
  /// @param stopTime how long its stop may take
  /// @param movable may be moved to make room (P11)
  /// @param notBefore its earliest start
  /// @param after jobs that must end first
  /// @param draft the job is not queued yet
  /// @param document the workload, in the contract's form
  public record NewJob(
      JobName name,
      QueueId queue,
      UserId user,
      String submitter,
      boolean byRole,
      int priority,
      Optional<Boolean> preemptible,
      Optional<Duration> maxRuntime,
      Duration stopTime,
      Optional<Duration> suspend,
      boolean movable,
      List<String> labels,
      String traceparent,
      Optional<Instant> notBefore,
      List<Prerequisite> after,
      boolean draft,
      Document document) {
    public NewJob {
      after = List.copyOf(after);
    }

    /// A copy with another name.
    public NewJob named(JobName newName) {
      return new NewJob(
          newName,
          queue,
          user,
          submitter,
          byRole,
          priority,
          preemptible,
          maxRuntime,
          stopTime,
          suspend,
          movable,
          labels,
          traceparent,
          notBefore,
          after,
          draft,
          document);
    }

    /// A copy that waits for these jobs.
    public NewJob after(List<Prerequisite> prerequisites) {
      return new NewJob(
          name,
          queue,
          user,
          submitter,
          byRole,
          priority,
          preemptible,
          maxRuntime,
          stopTime,
          suspend,
          movable,
          labels,
          traceparent,
          notBefore,
          prerequisites,
          draft,
          document);
    }
  }

  /// Identifies a request that may be repeated.
  public record RequestKey(String subject, String requestId, String fingerprint) {}
}
