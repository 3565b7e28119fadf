package io.headgate.scheduler.grpc;

import io.headgate.kit.watch.WatchSource;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.Viewer;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// One watcher of jobs: first those that match, then those that changed, each once, as it is now.
/// The database holds what is watched, and this only a place in it. A page is read when the client
/// has taken the one before. Confined to the watch's thread.
final class JobWatchSource implements WatchSource<WatchJobsResponse> {
  private final TenantId tenant;
  private final Supplier<Viewer> viewers;
  private final JobReader reader;
  private final JobReads jobs;
  private final LeaderDoor door;
  private final FittingPage pages;

  /// The filter with the caller's view at the beginning of the step.
  private Filter filter;

  /// Hash of the caller's view at the version before the step; empty: that is not known.
  private String visibilityHash;

  /// The place in the step whose parts are being sent.
  private Place place = new Place.Between();

  /// @param filter with the present view of the caller
  /// @param pageBytes of a message
  JobWatchSource(
      Filter filter, Subject subject, EndpointParts parts, JobReads jobs, long pageBytes) {
    this.tenant = subject.tenant();
    this.viewers = subject.viewers();
    this.filter = filter;
    this.visibilityHash = subject.seenBefore();
    this.reader = parts.reader();
    this.jobs = jobs;
    this.door = parts.door();
    this.pages = new FittingPage(pageBytes);
  }

  /// The tenant whose jobs are watched.
  ///
  /// @param viewers gives the present view of the caller
  /// @param seenBefore {@link Viewer#visibilityHash} at the version to resume from; empty: not
  ///   known
  record Subject(TenantId tenant, Supplier<Viewer> viewers, String seenBefore) {}

  private sealed interface Place {
    /// The last step is complete.
    record Between() implements Place {}

    /// In a snapshot of all that match.
    ///
    /// @param version when it began: what changes meanwhile comes again with the next step
    /// @param before the oldest job sent; empty: none yet
    record Snapshot(long version, OptionalLong before) implements Place {}

    /// In the jobs that changed, in order of their ids.
    ///
    /// @param after the last job sent
    record Changed(long since, long version, long after) implements Place {}

    /// In the jobs of which only the leader's knowledge changed, in order of their ids.
    record Touched(long since, long version, long after) implements Place {}
  }

  @Override
  public WatchJobsResponse alive(long version) {
    return WatchJobsResponse.newBuilder()
        .setVersion(version)
        .setVisibilityHash(visibilityHash)
        .build();
  }

  @Override
  public Step<WatchJobsResponse> read(long seen) {
    if (!(place instanceof Place.Between) && !viewers.get().equals(filter.viewer())) {
      // The rights changed between two pages: what the caller saw before no longer counts.
      place = new Place.Between();
      return begin(0);
    }
    return switch (place) {
      case Place.Between _ -> begin(seen);
      case Place.Snapshot part -> snapshot(part);
      case Place.Changed part -> changed(part);
      case Place.Touched part -> touched(part);
    };
  }

  private Step<WatchJobsResponse> begin(long seen) {
    long version = reader.version();
    Viewer viewer = viewers.get();
    String before = visibilityHash;
    visibilityHash = viewer.visibilityHash();
    filter = filter.seenBy(viewer);
    // No version tells which jobs a caller saw before.
    return seen == 0 || seen > version || !visibilityHash.equals(before)
        ? snapshot(new Place.Snapshot(version, OptionalLong.empty()))
        : changed(new Place.Changed(seen, version, 0));
  }

  private Step<WatchJobsResponse> snapshot(Place.Snapshot part) {
    int rows = pages.rows();
    List<JobRecord> read = reader.page(tenant, filter, part.before(), rows);
    List<Job> summaries = jobs.summaries(read, filter.viewer());
    int fitting = pages.fitting(summaries);
    boolean more = fitting < read.size() || read.size() == rows;
    // Version 0 until the last part: a client cut off before then starts again with a new snapshot.
    long version = more ? 0 : part.version();
    place =
        more
            ? new Place.Snapshot(
                part.version(), OptionalLong.of(read.get(fitting - 1).id().value()))
            : new Place.Between();
    return new Step<>(
        version,
        List.of(
            WatchJobsResponse.newBuilder()
                .setVersion(version)
                .setSnapshot(part.before().isEmpty())
                .setSnapshotComplete(!more)
                .setVisibilityHash(visibilityHash)
                .addAllJobs(summaries.subList(0, fitting))
                .build()),
        more);
  }

  private Step<WatchJobsResponse> changed(Place.Changed part) {
    int rows = pages.rows();
    List<JobRecord> read = reader.changes(tenant, part.since(), part.after(), rows).jobs();
    List<JobRecord> matching = read.stream().filter(this::matches).toList();
    List<Job> summaries = jobs.summaries(matching, filter.viewer());
    int fitting = pages.fitting(summaries);
    boolean isCut = fitting < matching.size();
    long last =
        isCut
            ? matching.get(fitting - 1).id().value()
            : read.isEmpty() ? part.after() : read.getLast().id().value();
    List<String> left =
        read.stream()
            .filter(job -> job.id().value() <= last && !matches(job) && mayHaveMatched(job))
            .map(job -> job.name().toString())
            .toList();
    place =
        isCut || read.size() == rows
            ? new Place.Changed(part.since(), part.version(), last)
            : new Place.Touched(part.since(), part.version(), 0);
    if (place instanceof Place.Touched next && summaries.isEmpty() && left.isEmpty()) {
      return touched(next);
    }
    // A client that is cut off resumes with all that changed.
    return new Step<>(
        part.since(), message(part.since(), summaries.subList(0, fitting), left), true);
  }

  private Step<WatchJobsResponse> touched(Place.Touched part) {
    int rows = pages.rows();
    List<JobId> ids =
        door.touched(part.since(), part.version()).stream()
            .filter(job -> job.value() > part.after())
            .sorted(Comparator.comparingLong(JobId::value))
            .limit(rows)
            .toList();
    List<JobRecord> matching =
        reader.jobs(ids).stream()
            // Later versions are among the changes of this step or of the next.
            .filter(job -> job.version() <= part.since())
            .filter(job -> job.tenant().equals(tenant) && matches(job))
            .sorted(Comparator.comparingLong(job -> job.id().value()))
            .toList();
    List<Job> summaries = jobs.summaries(matching, filter.viewer());
    int fitting = pages.fitting(summaries);
    boolean isCut = fitting < matching.size();
    boolean more = isCut || ids.size() == rows;
    if (more) {
      long last = isCut ? matching.get(fitting - 1).id().value() : ids.getLast().value();
      place = new Place.Touched(part.since(), part.version(), last);
    } else {
      place = new Place.Between();
    }
    long version = more ? part.since() : part.version();
    return new Step<>(version, message(version, summaries.subList(0, fitting), List.of()), more);
  }

  private List<WatchJobsResponse> message(long version, List<Job> summaries, List<String> left) {
    return summaries.isEmpty() && left.isEmpty()
        ? List.of()
        : List.of(
            WatchJobsResponse.newBuilder()
                .setVersion(version)
                .addAllJobs(summaries)
                .addAllRemovedJobs(left)
                .setVisibilityHash(visibilityHash)
                .build());
  }

  private boolean matches(JobRecord job) {
    boolean inState = filter.states().isEmpty() || filter.states().contains(job.shownState());
    boolean isRecent =
        filter.activeOrFinishedAfter().isEmpty()
            || !job.state().isTerminal()
            || job.course()
                .finishedAt()
                .map(at -> !at.isBefore(filter.activeOrFinishedAfter().get()))
                .orElse(false);
    return inState && isRecent && mayHaveMatched(job);
  }

  /// Applies the filters on fields that never change in a job's life, and does not name a job that
  /// the caller does not see.
  private boolean mayHaveMatched(JobRecord job) {
    var spec = job.job().spec();
    return JobReads.sees(filter.viewer(), job)
        && filter.isOfArray(job)
        && isAmong(filter.queues(), spec.queue().name())
        && isAmong(filter.policies(), job.metadata().policy())
        && isAmong(filter.users(), spec.user().name())
        && filter.createdAfter().map(at -> !job.metadata().createdAt().isBefore(at)).orElse(true)
        && job.metadata().labels().containsAll(filter.labels());
  }

  private static boolean isAmong(List<String> wanted, String value) {
    return wanted.isEmpty() || wanted.contains(value);
  }
}
