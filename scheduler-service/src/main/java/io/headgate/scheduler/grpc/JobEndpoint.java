package io.headgate.scheduler.grpc;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.CallThreads;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.kit.watch.WatchHub;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsResponse;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.CancelJobsRequest;
import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListEventsResponse;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.RequeueJobsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import io.headgate.proto.scheduler.v1.WatchEventsRequest;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader.EventFilter;
import io.headgate.scheduler.runtime.record.JobReader.EventPage;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.submission.CallerThread;
import io.headgate.scheduler.runtime.trace.Origin;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Jobs: submit, see, follow, stop, understand.
public final class JobEndpoint extends JobServiceGrpc.JobServiceImplBase {
  /// Events shown with an explanation.
  private static final int HISTORY = 50;

  private final EndpointParts parts;
  private final JobReads jobs;
  private final Submissions submissions;
  private final JobChanges changes;
  private final ManyChanges manyChanges;
  private final DryRun dryRun;
  private final LogReads logs;
  private final WatchHub watches;
  private final PageTokens pages;

  /// Serves jobs of the replica.
  public JobEndpoint(EndpointParts parts, LogReads logs, WatchHub watches) {
    this.parts = parts;
    this.jobs = new JobReads(parts);
    CatalogJudge judge = new CatalogJudge(parts.door());
    SubmissionRules rules = new SubmissionRules(parts);
    this.submissions = new Submissions(parts, judge, rules);
    this.changes = new JobChanges(parts, judge, rules, jobs);
    this.manyChanges = new ManyChanges(parts, jobs, changes);
    this.dryRun = new DryRun(parts, judge, rules);
    this.logs = logs;
    this.watches = watches;
    this.pages = parts.pages();
  }

  @Override
  public void submitJob(SubmitJobRequest request, StreamObserver<Job> out) {
    TenantId tenant = Names.tenant(request.getParent());
    SubmissionRequest submission =
        new SubmissionRequest(
            tenant,
            Principals.current(),
            List.of(request),
            request.getRequestId(),
            request.toBuilder().clearRequestId().build(),
            false,
            origin(true));
    if (request.getValidateOnly()) {
      CallThreads.apart(out, () -> answer(out, dryRun.submit(submission, request)));
      return;
    }
    CallThreads.when(
        submissions.submit(submission, CallerThread.EVENT_LOOP, CallThreads.blocking()),
        out,
        made ->
            answer(
                out,
                JobReads.changed(made.getFirst(), request.getSpec(), jobs.knownViewer(tenant))));
  }

  @Override
  public void batchSubmitJobs(
      BatchSubmitJobsRequest request, StreamObserver<BatchSubmitJobsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    for (int i = 0; i < request.getRequestsCount(); i++) {
      if (request.getRequests(i).getValidateOnly()) {
        throw Refusal.invalidField(
                "INVALID_BATCH",
                "requests[" + i + "].validate_only",
                "a batch is submitted: check single jobs with SubmitJob")
            .exception();
      }
    }
    // A batch takes long to check and to answer, so neither is done on the event loop.
    SubmissionRequest submission =
        new SubmissionRequest(
            tenant,
            Principals.current(),
            request.getRequestsList(),
            request.getRequestId(),
            request.toBuilder().clearRequestId().build(),
            true,
            origin(request.getRequestsCount() == 1));
    Executor blocking = CallThreads.blocking();
    CallThreads.when(
        submissions
            .submit(submission, CallerThread.MAY_BLOCK, blocking)
            .thenApplyAsync(made -> summaries(made, jobs.knownViewer(tenant)), blocking),
        out,
        response -> answer(out, response));
  }

  private String origin(boolean isAlone) {
    return Origin.of(CallerTrace.current(), parts.traceparent().get().orElse(""), isAlone);
  }

  private static BatchSubmitJobsResponse summaries(List<JobView> made, Viewer viewer) {
    BatchSubmitJobsResponse.Builder response = BatchSubmitJobsResponse.newBuilder();
    made.forEach(view -> response.addJobs(JobMapper.toSummary(view, viewer)));
    return response.build();
  }

  @Override
  public void getJob(GetJobRequest request, StreamObserver<Job> out) {
    JobName name = Names.job(request.getName());
    Viewer viewer = jobs.viewer(name.tenant());
    answer(out, jobs.full(jobs.require(name, viewer), viewer));
  }

  @Override
  public void listJobs(ListJobsRequest request, StreamObserver<ListJobsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Viewer viewer = jobs.viewer(tenant);
    Filter filter = JobReads.toFilter(request.getFilter(), viewer);
    List<String> query =
        List.of("ListJobs", tenant.name(), filter.seenBy(Viewer.OF_ALL).toString());
    Optional<String> position = pages.read(query, request.getPageToken());
    int size = PageTokens.size(request.getPageSize());
    List<JobRecord> page = parts.reader().page(tenant, filter, before(position), size);
    ListJobsResponse.Builder response =
        ListJobsResponse.newBuilder()
            .addAllJobs(
                request.getForeseeStarts() ? foreseen(page, viewer) : jobs.summaries(page, viewer));
    if (page.size() == size) {
      response.setNextPageToken(pages.issue(query, page.getLast().id().toString()));
    }
    if (position.isEmpty()) {
      // All that match have to be looked at, so once a list and not with every page.
      parts
          .reader()
          .counts(tenant, filter)
          .forEach((state, count) -> response.putCounts(JobMapper.toState(state).name(), count));
    }
    answer(out, response.build());
  }

  /// With the expected starts of waiting jobs, if there is time to find them.
  private List<Job> foreseen(List<JobRecord> page, Viewer viewer) {
    List<Job> summaries = jobs.summaries(page, viewer);
    Set<JobId> waiting =
        page.stream()
            .filter(job -> job.state() == JobState.WAITING)
            .map(JobRecord::id)
            .collect(Collectors.toSet());
    if (waiting.isEmpty() || !parts.door().isLeading()) {
      return summaries;
    }
    Map<JobId, Instant> starts =
        parts
            .forecasts()
            .answer(
                () ->
                    Refusals.leading(
                            true,
                            () ->
                                parts
                                    .door()
                                    .ask(leader -> leader.core().forecasts(waiting, leader.now())))
                        .get(),
                Map::of);
    List<Job> foreseen = new ArrayList<>(summaries.size());
    for (int i = 0; i < summaries.size(); i++) {
      Job job = summaries.get(i);
      Instant start = starts.get(page.get(i).id());
      foreseen.add(
          start == null || job.hasExpectedStartTime()
              ? job
              : job.toBuilder().setExpectedStartTime(ProtoTimes.toProto(start)).build());
    }
    return foreseen;
  }

  private static OptionalLong before(Optional<String> position) {
    return position.isPresent()
        ? OptionalLong.of(Long.parseLong(position.get()))
        : OptionalLong.empty();
  }

  @Override
  public void watchJobs(WatchJobsRequest request, StreamObserver<WatchJobsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Supplier<Viewer> viewers = jobs.viewers(tenant);
    watches.open(
        out,
        request.getVersion(),
        new JobWatchSource(
            JobReads.toFilter(request.getFilter(), viewers.get()),
            new JobWatchSource.Subject(tenant, viewers, request.getVisibilityHash()),
            parts,
            jobs,
            watches.pageBytes()));
  }

  @Override
  public void cancelJob(CancelJobRequest request, StreamObserver<Job> out) {
    JobName name = Names.job(request.getName());
    answer(out, changes.cancel(name, request.getSkipCallback(), request.getReason()));
  }

  @Override
  public void requeueJob(RequeueJobRequest request, StreamObserver<Job> out) {
    answer(
        out,
        changes.requeue(
            Names.job(request.getName()), request.getQueue(), request.getIgnoreAfter()));
  }

  @Override
  public void updateJob(UpdateJobRequest request, StreamObserver<Job> out) {
    answer(out, changes.update(Names.job(request.getName()), request));
  }

  @Override
  public void cancelJobs(CancelJobsRequest request, StreamObserver<ChangeJobsResponse> out) {
    answer(out, manyChanges.cancel(request));
  }

  @Override
  public void requeueJobs(RequeueJobsRequest request, StreamObserver<ChangeJobsResponse> out) {
    answer(out, manyChanges.requeue(request));
  }

  @Override
  public void readJobLogs(ReadJobLogsRequest request, StreamObserver<ReadJobLogsResponse> out) {
    JobName name = Names.job(request.getName());
    JobRecord job = jobs.require(name);
    Supplier<Viewer> viewers = jobs.viewers(name.tenant());
    logs.read(job, request, () -> JobReads.sees(viewers.get(), job), out);
  }

  @Override
  public void explainJob(ExplainJobRequest request, StreamObserver<JobExplanation> out) {
    JobName name = Names.job(request.getName());
    Viewer viewer = jobs.viewer(name.tenant());
    JobRecord record = jobs.require(name, viewer);
    answer(
        out,
        record.state() == JobState.WAITING
            ? parts
                .forecasts()
                .answer(() -> explain(record, true, viewer), () -> explain(record, false, viewer))
            : explain(record, false, viewer));
  }

  /// @param foresee whether to look for when it starts, if it waits
  private JobExplanation explain(JobRecord record, boolean foresee, Viewer viewer) {
    JobId id = record.id();
    Optional<ExplanationMapper.Known> known =
        record.state().isTerminal()
            ? Optional.empty()
            : Refusals.leading(
                true,
                () ->
                    parts
                        .door()
                        .ask(leader -> ExplanationMapper.Known.of(leader, id, foresee, viewer)));
    List<EventRecord> history =
        parts
            .reader()
            .events(
                EventFilter.of(record.tenant(), id, Viewer.OF_ALL), OptionalLong.empty(), HISTORY)
            .events();
    return new ExplanationMapper(viewer)
        .toExplanation(
            jobs.full(record, viewer),
            record,
            known,
            history,
            new ExplanationMapper.Moment(parts.reader().version(), parts.time().instant()));
  }

  @Override
  public void listEvents(ListEventsRequest request, StreamObserver<ListEventsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Viewer viewer = jobs.viewer(tenant);
    Optional<JobId> job =
        request.getJob().isEmpty()
            ? Optional.empty()
            : Optional.of(jobs.require(new JobName(tenant, request.getJob()), viewer).id());
    Optional<Instant> after =
        request.hasAfter() ? Optional.of(ProtoTimes.instant(request.getAfter())) : Optional.empty();
    // A job that the caller does not see is answered as an absent one.
    String byJob =
        request.getByJob().isEmpty()
            ? ""
            : jobs.require(new JobName(tenant, request.getByJob()), viewer).name().id();
    List<String> query =
        List.of(
            "ListEvents",
            tenant.name(),
            request.getJob(),
            after.toString(),
            request.getPolicy(),
            byJob,
            Boolean.toString(request.getPreemptionsOnly()));
    Optional<String> position = pages.read(query, request.getPageToken());
    int size = PageTokens.size(request.getPageSize());
    // A caller that sees the job sees its whole history.
    EventFilter filter =
        new EventFilter(
            tenant,
            job,
            after,
            request.getPolicy(),
            byJob,
            request.getPreemptionsOnly(),
            job.isPresent() ? Viewer.OF_ALL : viewer);
    EventPage page = parts.reader().events(filter, before(position), size);
    ListEventsResponse.Builder response = ListEventsResponse.newBuilder();
    page.events().forEach(event -> response.addEvents(EventMapper.toEvent(event, viewer)));
    page.next()
        .ifPresent(
            version -> response.setNextPageToken(pages.issue(query, Long.toString(version))));
    answer(out, response.build());
  }

  @Override
  public void watchEvents(WatchEventsRequest request, StreamObserver<WatchEventsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    watches.open(
        out,
        request.getVersion(),
        new EventWatchSource(tenant, parts.reader(), jobs.viewers(tenant), watches.pageBytes()));
  }

  static <T> void answer(StreamObserver<T> out, T response) {
    out.onNext(response);
    out.onCompleted();
  }
}
