package io.headgate.scheduler.grpc;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobFilter;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.leadership.NotLeadingException;
import io.headgate.scheduler.runtime.leadership.QueueFullException;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.type.Viewer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Jobs as callers see them: the durable part from the database, and, where this replica leads,
/// what only the leader knows (why a job waits, its place, its use).
final class JobReads {
  private static final Logger LOG = LoggerFactory.getLogger(JobReads.class);

  /// Attempts shown of one job.
  private static final int ATTEMPTS = 20;

  private final JobReader reader;
  private final LeaderDoor door;
  private final Viewers viewers;

  JobReads(EndpointParts parts) {
    this.reader = parts.reader();
    this.door = parts.door();
    this.viewers = parts.viewers();
  }

  /// The caller's view on the tenant's jobs.
  Viewer viewer(TenantId tenant) {
    return viewers.of(Principals.current(), tenant);
  }

  /// The caller's view on the tenant's jobs, now and later; for use outside of the call.
  Supplier<Viewer> viewers(TenantId tenant) {
    Principal caller = Principals.current();
    return () -> viewers.later(caller, tenant);
  }

  /// The same without blocking, for an answer to a submission: all of its jobs are the caller's.
  Viewer knownViewer(TenantId tenant) {
    return viewers.known(Principals.current(), tenant);
  }

  /// The job, if there is one that the caller sees.
  JobRecord require(JobName name) {
    return require(name, viewer(name.tenant()));
  }

  JobRecord require(JobName name, Viewer viewer) {
    return find(name)
        .filter(job -> sees(viewer, job))
        .orElseThrow(() -> Names.jobNotFound(name).exception());
  }

  /// The job. An element that has not started stands as its array does.
  private Optional<JobRecord> find(JobName name) {
    Optional<JobRecord> job = reader.job(name);
    return job.isPresent() || name.number() == 0
        ? job
        : name.array()
            .flatMap(reader::job)
            .filter(array ->
                array
                    .job()
                    .array()
                    .filter(state -> name.number() <= state.size() && !state.isBegun(name.number()))
                    .isPresent())
            .map(array -> array.element(name.number()));
  }

  static boolean sees(Viewer viewer, JobRecord job) {
    return viewer.sees(job.metadata().submitter(), job.metadata().policy());
  }

  /// One job with everything that the caller may know of it.
  Job full(JobRecord record, Viewer viewer) {
    List<AttemptRecord> attempts = reader.attempts(record.id(), ATTEMPTS);
    Optional<AttemptRecord> last =
        attempts.isEmpty() ? Optional.empty() : Optional.of(attempts.getLast());
    JobView view = refreshed(List.of(JobView.of(record, last))).getFirst();
    return JobMapper.toJob(
        view,
        spec(record),
        withPresent(attempts, view),
        new JobMapper.Audience(viewer, showsEnvironment(record)));
  }

  /// The attempts, the last one as the leader has it: it knows the use of its slices.
  private static List<AttemptRecord> withPresent(List<AttemptRecord> attempts, JobView view) {
    return attempts.stream()
        .map(read -> view.attempt().filter(now -> now.id().equals(read.id())).orElse(read))
        .toList();
  }

  /// The job's specification; empty for a job without a stored one.
  JobSpec spec(JobRecord record) {
    JobId stored = record.storedId();
    return JobMapper.spec(
        Optional.ofNullable(reader.documents(List.of(stored)).get(stored)).orElse(Document.EMPTY));
  }

  /// A job that was just submitted or changed, with its specification. Reads nothing.
  static Job changed(JobView view, JobSpec spec, Viewer viewer) {
    return JobMapper.toJob(
        view, spec, List.of(), new JobMapper.Audience(viewer, showsEnvironment(view.job())));
  }

  /// Values of the environment may be secrets: only the job's submitter and admins see them.
  static boolean showsEnvironment(JobRecord record) {
    Principal caller = Principals.current();
    return Names.governs(caller) || caller.subject().equals(record.metadata().submitter());
  }

  List<Job> summaries(List<JobRecord> records, Viewer viewer) {
    Map<JobId, AttemptRecord> attempts =
        reader.lastAttempts(
            records.stream()
                .filter(record -> record.job().attempts() > 0)
                .map(JobRecord::id)
                .toList());
    List<JobView> views = new ArrayList<>();
    for (JobRecord record : records) {
      views.add(JobView.of(record, Optional.ofNullable(attempts.get(record.id()))));
    }
    return refreshed(views).stream()
        .map(view -> JobMapper.toSummary(view, viewer).build())
        .toList();
  }

  /// Adds the leader's in-memory state to the views, if this replica leads.
  private List<JobView> refreshed(List<JobView> views) {
    if (!door.isLeading() || views.stream().allMatch(view -> view.job().state().isTerminal())) {
      return views;
    }
    try {
      return door.askSoon(leader -> views.stream().map(leader.reads()::refresh).toList());
    } catch (NotLeadingException | LeadershipLostException | QueueFullException e) {
      LOG.debug("jobs are shown without reasons", e);
      return views;
    }
  }

  /// @throws io.headgate.kit.failure.RefusalException there is no such array
  Filter toFilter(TenantId tenant, JobFilter filter, Viewer viewer) {
    Filter wanted = toFilter(filter, viewer);
    if (filter.getArray().isEmpty()) {
      return wanted;
    }
    JobRecord array = require(new JobName(tenant, filter.getArray()), viewer);
    if (array.job().array().isEmpty()) {
      throw Refusal.invalidField(
              "NOT_AN_ARRAY",
              "filter.array",
              "job '%s' is no array: name one, or leave it out".formatted(filter.getArray()))
          .exception();
    }
    return wanted.ofArray(array.id());
  }

  private static Filter toFilter(JobFilter filter, Viewer viewer) {
    return new Filter(
        filter.getQueuesList(),
        filter.getPoliciesList(),
        filter.getUsersList(),
        filter.getStatesList().stream().map(JobMapper::toState).flatMap(Optional::stream).toList(),
        filter.hasCreatedAfter()
            ? Optional.of(ProtoTimes.instant(filter.getCreatedAfter()))
            : Optional.empty(),
        filter.getLabelsMap().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .sorted()
            .toList(),
        filter.hasActiveOrFinishedAfter()
            ? Optional.of(ProtoTimes.instant(filter.getActiveOrFinishedAfter()))
            : Optional.empty(),
        Optional.empty(),
        viewer);
  }
}
