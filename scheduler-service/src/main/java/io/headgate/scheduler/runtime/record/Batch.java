package io.headgate.scheduler.runtime.record;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.ledger.Entries;
import java.util.List;
import java.util.Map;

/// Everything that one turn of the loop makes durable, in one transaction.
///
/// @param id rises by one with every batch of a leader
/// @param version of the watches after it
/// @param newJobs with the specification of each
/// @param documents of older jobs that have other ones now
/// @param jobs that changed, as they are now
/// @param attempts that began, changed or ended, as they are now
/// @param holds placed, as they are now
/// @param releasedHolds of these jobs
/// @param pastUse of levels of rights that use something else now
/// @param usage what the ledger of usage says since the batch before
/// @param budgets whose state is another one now
/// @param waits reasons that lanes and jobs have waited for
/// @param events in order
/// @param requests answered by this batch
/// @param names numbers given out
/// @param contacts nodes that said Hello
/// @param catalogs the news of each watched source
public record Batch(
    long id,
    long version,
    List<NewJob> newJobs,
    List<NewJob> documents,
    List<JobRecord> jobs,
    List<AttemptRecord> attempts,
    List<Hold> holds,
    List<JobId> releasedHolds,
    List<PastUse> pastUse,
    Entries usage,
    List<BudgetRecord> budgets,
    List<WaitHistory> waits,
    List<EventRecord> events,
    List<RequestRecord> requests,
    List<NameCounter> names,
    List<NodeContact> contacts,
    Map<String, CatalogChange> catalogs) {

  /// Writes nothing but the lease.
  public static Batch renewal(long id, long version) {
    return new Batch(
        id,
        version,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Entries.empty(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Map.of());
  }

  /// Whether it writes nothing but the lease.
  public boolean isRenewal() {
    return newJobs.isEmpty()
        && documents.isEmpty()
        && jobs.isEmpty()
        && attempts.isEmpty()
        && holds.isEmpty()
        && releasedHolds.isEmpty()
        && pastUse.isEmpty()
        && usage.isEmpty()
        && budgets.isEmpty()
        && waits.isEmpty()
        && events.isEmpty()
        && requests.isEmpty()
        && names.isEmpty()
        && contacts.isEmpty()
        && catalogs.isEmpty();
  }

  /// A job with its specification.
  ///
  /// @param document the job's specification as it was submitted or changed last
  public record NewJob(JobRecord job, Document document) {}

  /// The outcome of a request that carries an id.
  ///
  /// @param subject that sent it
  /// @param fingerprint of its content: the same id with other content is a mistake
  /// @param jobs in the order of the request
  public record RequestRecord(
      String subject, String requestId, String fingerprint, List<JobId> jobs) {
    public RequestRecord {
      jobs = List.copyOf(jobs);
    }
  }

  /// A step of a watched source.
  ///
  /// @param position after it
  /// @param snapshot everything known before is forgotten
  public record CatalogChange(
      WatchPosition position,
      boolean snapshot,
      List<CatalogEntry> entries,
      List<String> removedKeys) {
    public CatalogChange {
      entries = List.copyOf(entries);
      removedKeys = List.copyOf(removedKeys);
    }
  }
}
