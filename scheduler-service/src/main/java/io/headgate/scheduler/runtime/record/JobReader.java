package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Reads the database for callers' queries. Blocks; thread-safe.
public interface JobReader extends NameLookup {

  Optional<JobRecord> job(JobName name);

  @Override
  default boolean isTaken(JobName name) {
    return job(name).isPresent();
  }

  /// The keys of tenant and name of all jobs.
  StoredKeys names();

  /// The keys of subject and id of all remembered requests.
  StoredKeys requests();

  /// Skips ids that do not exist; the order is undefined.
  List<JobRecord> jobs(Collection<JobId> ids);

  /// The newest `limit`, oldest first.
  List<AttemptRecord> attempts(JobId job, int limit);

  /// The newest of each job.
  Map<JobId, AttemptRecord> lastAttempts(Collection<JobId> jobs);

  /// The jobs' documents as they were submitted. Skips those that cannot be decrypted, and the log
  /// says why.
  ///
  /// @throws io.headgate.kit.seal.KeyMissingException if this process lacks the key of one of them
  Map<JobId, Document> documents(Collection<JobId> jobs);

  /// The jobs that match all present conditions. An empty list matches all.
  ///
  /// @param labels `key=value`
  /// @param viewer only jobs that it sees; its teams are ids of policies
  record Filter(
      List<String> queues,
      List<String> policies,
      List<String> users,
      List<JobState> states,
      Optional<Instant> createdAfter,
      List<String> labels,
      Optional<Instant> activeOrFinishedAfter,
      Viewer viewer) {
    public static final Filter ALL =
        new Filter(
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Optional.empty(),
            List.of(),
            Optional.empty(),
            Viewer.OF_ALL);

    public Filter {
      queues = List.copyOf(queues);
      policies = List.copyOf(policies);
      users = List.copyOf(users);
      states = List.copyOf(states);
      labels = List.copyOf(labels);
    }

    /// The filter with other states.
    public Filter inStates(List<JobState> others) {
      return new Filter(
          queues, policies, users, others, createdAfter, labels, activeOrFinishedAfter, viewer);
    }

    public Filter seenBy(Viewer other) {
      return new Filter(
          queues, policies, users, states, createdAfter, labels, activeOrFinishedAfter, other);
    }
  }

  /// Newest first.
  ///
  /// @param before only jobs with a lower id
  List<JobRecord> page(TenantId tenant, Filter filter, OptionalLong before, int limit);

  /// Oldest first.
  ///
  /// @param after only jobs with a higher id
  List<JobRecord> oldest(TenantId tenant, Filter filter, long after, int limit);

  Map<JobState, Long> counts(TenantId tenant, Filter filter);

  /// Jobs of the tenant by id, with the version of the watches that they were read at.
  ///
  /// @param after only jobs with a higher id
  /// @param since only jobs that changed after this version
  Changes changes(TenantId tenant, long since, long after, int limit);

  /// Jobs read in one snapshot.
  ///
  /// @param version of the watches when the jobs were read
  record Changes(long version, List<JobRecord> jobs) {}

  /// Events of a tenant.
  ///
  /// @param job only events about it
  /// @param after only events of this time and later
  /// @param policy id of the policy of the jobs that they are about; empty: any
  /// @param byJob id of the job that took the place of theirs; empty: any, or none
  /// @param preemptionsOnly only preemptions and moves
  /// @param viewer only events about jobs that it sees, and about nodes; its teams are ids of
  ///   policies
  record EventFilter(
      TenantId tenant,
      Optional<JobId> job,
      Optional<Instant> after,
      String policy,
      String byJob,
      boolean preemptionsOnly,
      Viewer viewer) {
    /// All events that the viewer sees.
    public static EventFilter of(TenantId tenant, Viewer viewer) {
      return new EventFilter(tenant, Optional.empty(), Optional.empty(), "", "", false, viewer);
    }

    /// The events about one job that the viewer sees.
    public static EventFilter of(TenantId tenant, JobId job, Viewer viewer) {
      return new EventFilter(tenant, Optional.of(job), Optional.empty(), "", "", false, viewer);
    }
  }

  /// Newest first.
  ///
  /// @param before only events with a lower version
  EventPage events(EventFilter filter, OptionalLong before, int limit);

  /// A page of events. It may be short, even empty, while there are more: at most
  /// [#MOST_EVENTS_LOOKED_AT] are looked at for a page, however few of them the caller sees.
  ///
  /// @param next the version before which the next page begins; absent: this is the last page
  record EventPage(List<EventRecord> events, OptionalLong next) {}

  /// Looked at for one page: some milliseconds.
  int MOST_EVENTS_LOOKED_AT = 10_000;

  /// Oldest first.
  Events eventsAfter(EventFilter filter, long version, int limit);

  /// Events read in one snapshot.
  ///
  /// @param version up to which the events are complete
  /// @param more whether there are later ones
  record Events(long version, List<EventRecord> events, boolean more) {}

  /// The tenant's part of a source, as the leader stored it last; see
  /// [io.headgate.scheduler.runtime.catalog.CatalogSource].
  Optional<Document> catalogEntry(String source, TenantId tenant);

  /// The version of the watches.
  long version();

  /// The outcome of an earlier request.
  Optional<Batch.RequestRecord> request(String subject, String requestId);

  /// Whether a failure says only that the database cannot be reached.
  default boolean isUnreachable(Throwable failure) {
    return false;
  }
}
