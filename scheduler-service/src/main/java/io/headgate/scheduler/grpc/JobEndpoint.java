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
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.WatchEventsRequest;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.submission.CallerThread;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;

/// Jobs: submit, see, follow, stop, understand.
public final class JobEndpoint extends JobServiceGrpc.JobServiceImplBase {
  /// Events shown with an explanation.
  private static final int HISTORY = 50;

  private final EndpointParts parts;
  private final JobReads jobs;
  private final Submissions submissions;
  private final JobChanges changes;
  private final DryRun dryRun;
  private final LogReads logs;
  private final WatchHub watches;
  private final PageTokens pages;

  /// Serves jobs of the replica.
  public JobEndpoint(EndpointParts parts, LogReads logs, WatchHub watches) {
    this.parts = parts;
    this.jobs = new JobReads(parts.reader(), parts.door());
    CatalogJudge judge = new CatalogJudge(parts.door());
    SubmissionRules rules = new SubmissionRules(parts);
    this.submissions = new Submissions(parts, judge, rules);
    this.changes = new JobChanges(parts, judge, jobs);
    this.dryRun = new DryRun(parts.door(), judge, rules, parts.copies());
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
            false);
    if (request.getValidateOnly()) {
      CallThreads.apart(out, () -> answer(out, dryRun.submit(submission, request)));
      return;
    }
    CallThreads.when(
        submissions.submit(submission, CallerThread.EVENT_LOOP, CallThreads.blocking()),
        out,
        jobs -> answer(out, JobReads.changed(jobs.getFirst(), request.getSpec())));
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
            true);
    Executor blocking = CallThreads.blocking();
    CallThreads.when(
        submissions
            .submit(submission, CallerThread.MAY_BLOCK, blocking)
            .thenApplyAsync(JobEndpoint::summaries, blocking),
        out,
        response -> answer(out, response));
  }

  private static BatchSubmitJobsResponse summaries(List<JobView> jobs) {
    BatchSubmitJobsResponse.Builder response = BatchSubmitJobsResponse.newBuilder();
    jobs.forEach(view -> response.addJobs(JobMapper.toSummary(view)));
    return response.build();
  }

  @Override
  public void getJob(GetJobRequest request, StreamObserver<Job> out) {
    answer(out, jobs.full(jobs.require(Names.job(request.getName()))));
  }

  @Override
  public void listJobs(ListJobsRequest request, StreamObserver<ListJobsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Filter filter = JobReads.toFilter(request.getFilter());
    List<String> query = List.of("ListJobs", tenant.name(), filter.toString());
    Optional<String> position = pages.read(query, request.getPageToken());
    int size = PageTokens.size(request.getPageSize());
    List<JobRecord> page = parts.reader().page(tenant, filter, before(position), size);
    ListJobsResponse.Builder response =
        ListJobsResponse.newBuilder().addAllJobs(jobs.summaries(page));
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

  private static OptionalLong before(Optional<String> position) {
    return position.isPresent()
        ? OptionalLong.of(Long.parseLong(position.get()))
        : OptionalLong.empty();
  }

  @Override
  public void watchJobs(WatchJobsRequest request, StreamObserver<WatchJobsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    watches.open(
        out,
        request.getVersion(),
        new JobWatchSource(
            tenant, JobReads.toFilter(request.getFilter()), parts, jobs, watches.pageBytes()));
  }

  @Override
  public void cancelJob(CancelJobRequest request, StreamObserver<Job> out) {
    JobName name = Names.job(request.getName());
    answer(out, changes.cancel(name, request.getSkipCallback(), request.getReason()));
  }

  @Override
  public void requeueJob(RequeueJobRequest request, StreamObserver<Job> out) {
    answer(out, changes.requeue(Names.job(request.getName())));
  }

  @Override
  public void readJobLogs(ReadJobLogsRequest request, StreamObserver<ReadJobLogsResponse> out) {
    logs.read(jobs.require(Names.job(request.getName())), request, out);
  }

  @Override
  public void explainJob(ExplainJobRequest request, StreamObserver<JobExplanation> out) {
    JobRecord record = jobs.require(Names.job(request.getName()));
    answer(
        out,
        record.state() == JobState.WAITING
            ? parts.forecasts().answer(() -> explain(record, true), () -> explain(record, false))
            : explain(record, false));
  }

  /// @param foresee whether to look for when it starts, if it waits
  private JobExplanation explain(JobRecord record, boolean foresee) {
    JobId id = record.id();
    Optional<ExplanationMapper.Known> known =
        record.state().isTerminal()
            ? Optional.empty()
            : Refusals.leading(
                true,
                () -> parts.door().ask(leader -> ExplanationMapper.Known.of(leader, id, foresee)));
    List<EventRecord> history =
        parts
            .reader()
            .events(
                record.tenant(), Optional.of(id), Optional.empty(), OptionalLong.empty(), HISTORY);
    return ExplanationMapper.toExplanation(
        jobs.full(record),
        record,
        known,
        history,
        parts.reader().version(),
        parts.time().instant());
  }

  @Override
  public void listEvents(ListEventsRequest request, StreamObserver<ListEventsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Optional<JobId> job =
        request.getJob().isEmpty()
            ? Optional.empty()
            : Optional.of(jobs.require(new JobName(tenant, request.getJob())).id());
    Optional<Instant> after =
        request.hasAfter() ? Optional.of(ProtoTimes.instant(request.getAfter())) : Optional.empty();
    List<String> query = List.of("ListEvents", tenant.name(), request.getJob(), after.toString());
    Optional<String> position = pages.read(query, request.getPageToken());
    int size = PageTokens.size(request.getPageSize());
    List<EventRecord> page = parts.reader().events(tenant, job, after, before(position), size);
    ListEventsResponse.Builder response = ListEventsResponse.newBuilder();
    page.forEach(event -> response.addEvents(EventMapper.toEvent(event)));
    if (page.size() == size) {
      response.setNextPageToken(pages.issue(query, Long.toString(page.getLast().version())));
    }
    answer(out, response.build());
  }

  @Override
  public void watchEvents(WatchEventsRequest request, StreamObserver<WatchEventsResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    watches.open(
        out,
        request.getVersion(),
        new EventWatchSource(tenant, parts.reader(), watches.pageBytes()));
  }

  static <T> void answer(StreamObserver<T> out, T response) {
    out.onNext(response);
    out.onCompleted();
  }
}
