package io.headgate.scheduler.grpc;

import io.headgate.kit.watch.WatchSource;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.Changes;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// One watcher of jobs: first those that match, then those that changed, each once, as it is now.
final class JobWatchSource implements WatchSource<WatchJobsResponse> {
  /// Jobs of one message.
  private static final int PAGE = 500;

  private final TenantId tenant;
  private final Filter filter;
  private final JobReader reader;
  private final JobReads jobs;
  private final LeaderDoor door;

  JobWatchSource(TenantId tenant, Filter filter, JobReader reader, JobReads jobs, LeaderDoor door) {
    this.tenant = tenant;
    this.filter = filter;
    this.reader = reader;
    this.jobs = jobs;
    this.door = door;
  }

  @Override
  public WatchJobsResponse alive(long version) {
    return WatchJobsResponse.newBuilder().setVersion(version).build();
  }

  @Override
  public Step<WatchJobsResponse> read(long seen) {
    long version = reader.version();
    return seen == 0 || seen > version ? snapshot(version) : changes(seen, version);
  }

  /// All that match, read page by page after the version: what changes meanwhile comes again with
  /// the next step, as it is then.
  private Step<WatchJobsResponse> snapshot(long version) {
    List<WatchJobsResponse> messages = new ArrayList<>();
    OptionalLong before = OptionalLong.empty();
    boolean more = true;
    while (more) {
      List<JobRecord> page = reader.page(tenant, filter, before, PAGE);
      more = page.size() == PAGE;
      if (more) {
        before = OptionalLong.of(page.getLast().id().value());
      }
      messages.add(
          WatchJobsResponse.newBuilder()
              // Version 0 until the last part: a client cut off before then starts again with a new
              // snapshot.
              .setVersion(more ? 0 : version)
              .setSnapshot(messages.isEmpty())
              .setSnapshotComplete(!more)
              .addAllJobs(jobs.summaries(page))
              .build());
    }
    return new Step<>(version, messages);
  }

  private Step<WatchJobsResponse> changes(long seen, long version) {
    List<WatchJobsResponse> messages = new ArrayList<>();
    Set<JobId> told = new LinkedHashSet<>();
    long after = 0;
    boolean more = true;
    while (more) {
      Changes changes = reader.changes(tenant, seen, after, PAGE);
      more = changes.jobs().size() == PAGE;
      if (!changes.jobs().isEmpty()) {
        after = changes.jobs().getLast().id().value();
        changes.jobs().forEach(job -> told.add(job.id()));
        message(changes.jobs(), more ? seen : version).ifPresent(messages::add);
      }
    }
    List<JobId> touched =
        door.touched(seen, version).stream().filter(job -> !told.contains(job)).toList();
    if (!touched.isEmpty()) {
      List<JobRecord> read =
          reader.jobs(touched).stream().filter(job -> job.tenant().equals(tenant)).toList();
      message(read.stream().filter(this::matches).toList(), version).ifPresent(messages::add);
    }
    return new Step<>(version, messages);
  }

  private Optional<WatchJobsResponse> message(List<JobRecord> changed, long version) {
    List<JobRecord> matching = changed.stream().filter(this::matches).toList();
    List<String> left =
        changed.stream()
            .filter(job -> !matches(job) && mayHaveMatched(job))
            .map(job -> job.name().toString())
            .toList();
    if (matching.isEmpty() && left.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        WatchJobsResponse.newBuilder()
            .setVersion(version)
            .addAllJobs(jobs.summaries(matching))
            .addAllRemovedJobs(left)
            .build());
  }

  private boolean matches(JobRecord job) {
    boolean inState = filter.states().isEmpty() || filter.states().contains(job.state());
    boolean isRecent =
        filter.activeOrFinishedAfter().isEmpty()
            || !job.state().isTerminal()
            || job.course()
                .finishedAt()
                .map(at -> !at.isBefore(filter.activeOrFinishedAfter().get()))
                .orElse(false);
    return inState && isRecent && mayHaveMatched(job);
  }

  /// Applies the filters on fields that never change in a job's life.
  private boolean mayHaveMatched(JobRecord job) {
    var spec = job.job().spec();
    return isAmong(filter.queues(), spec.queue().name())
        && isAmong(filter.policies(), job.metadata().policy())
        && isAmong(filter.users(), spec.user().name())
        && filter.createdAfter().map(at -> !job.metadata().createdAt().isBefore(at)).orElse(true)
        && job.metadata().labels().containsAll(filter.labels());
  }

  private static boolean isAmong(List<String> wanted, String value) {
    return wanted.isEmpty() || wanted.contains(value);
  }
}
