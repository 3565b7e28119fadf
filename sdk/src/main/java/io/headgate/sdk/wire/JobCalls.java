package io.headgate.sdk.wire;

import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
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
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.RequeueJobsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import io.headgate.proto.scheduler.v1.WatchEventsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.sdk.model.EventFilter;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobUpdate;
import io.headgate.sdk.model.Submission;
import io.headgate.sdk.wire.SubmitSpans.SubmitSpan;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/// Calls on the jobs and events of one tenant, in messages.
public final class JobCalls {
  private final Connection connection;
  private final String tenant;

  public JobCalls(Connection connection, String tenant) {
    this.connection = connection;
    this.tenant = tenant;
  }

  /// Submits; idempotent by its request id.
  public Job submit(Submission submission, String requestId, boolean validateOnly) {
    SubmitJobRequest request =
        JobMessages.request(tenant, submission)
            .setRequestId(requestId)
            .setValidateOnly(validateOnly)
            .build();
    if (validateOnly) {
      return connection.call(JobServiceGrpc.getSubmitJobMethod(), request, Idempotency.IDEMPOTENT);
    }
    return submitting(
        submission.spec().queue(),
        1,
        span ->
            connection.call(
                JobServiceGrpc.getSubmitJobMethod(), request, Idempotency.IDEMPOTENT, span),
        job -> List.of(job.getName()));
  }

  private <R> R submitting(
      String queue, int jobs, Function<SubmitSpan, R> call, Function<R, List<String>> names) {
    try (SubmitSpan span = connection.submitting(tenant, queue, jobs)) {
      try {
        R answer = call.apply(span);
        span.submitted(names.apply(answer).stream().map(ResourceNames::id).toList());
        return answer;
      } catch (HeadgateException e) {
        span.failed(e.reason());
        throw e;
      }
    }
  }

  /// Submits all or none.
  public List<Job> submitAll(List<Submission> submissions, String requestId) {
    BatchSubmitJobsRequest.Builder batch =
        BatchSubmitJobsRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setRequestId(requestId);
    submissions.forEach(submission -> batch.addRequests(JobMessages.request(tenant, submission)));
    return submitting(
        submissions.isEmpty() ? "" : submissions.getFirst().spec().queue(),
        submissions.size(),
        span ->
            connection
                .call(
                    JobServiceGrpc.getBatchSubmitJobsMethod(),
                    batch.build(),
                    Idempotency.IDEMPOTENT,
                    span)
                .getJobsList(),
        all -> all.stream().map(Job::getName).toList());
  }

  public Job get(String id) {
    return connection.call(
        JobServiceGrpc.getGetJobMethod(),
        GetJobRequest.newBuilder().setName(name(id)).build(),
        Idempotency.IDEMPOTENT);
  }

  /// One page.
  public ListJobsResponse list(JobFilter filter, int pageSize, String pageToken) {
    return list(filter, pageSize, pageToken, false);
  }

  /// One page.
  ///
  /// @param foresee whether the server is to look for the starts of waiting jobs
  public ListJobsResponse list(JobFilter filter, int pageSize, String pageToken, boolean foresee) {
    return connection.call(
        JobServiceGrpc.getListJobsMethod(),
        ListJobsRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setFilter(JobMessages.filter(filter))
            .setPageSize(pageSize)
            .setPageToken(pageToken)
            .setForeseeStarts(foresee)
            .build(),
        Idempotency.IDEMPOTENT);
  }

  /// Follows jobs from a version, or (0) from a snapshot on.
  public JobWatch watch(JobFilter filter, long version) {
    return new JobWatch(
        connection,
        WatchJobsRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setFilter(JobMessages.filter(filter))
            .setVersion(version)
            .build());
  }

  public Job cancel(String id, boolean skipCallback, String reason) {
    return connection.call(
        JobServiceGrpc.getCancelJobMethod(),
        CancelJobRequest.newBuilder()
            .setName(name(id))
            .setSkipCallback(skipCallback)
            .setReason(reason)
            .build(),
        Idempotency.IDEMPOTENT);
  }

  /// Requeues. Not idempotent: the job may have started again between two calls.
  ///
  /// @param queue another queue; empty: its own
  /// @param ignoreAfter whether it no longer waits for other jobs
  public Job requeue(String id, String queue, boolean ignoreAfter) {
    return connection.call(
        JobServiceGrpc.getRequeueJobMethod(),
        RequeueJobRequest.newBuilder()
            .setName(name(id))
            .setQueue(queue)
            .setIgnoreAfter(ignoreAfter)
            .build(),
        Idempotency.NOT_IDEMPOTENT);
  }

  /// Changes a waiting job or a draft.
  public Job update(String id, JobUpdate update) {
    UpdateJobRequest.Builder request = UpdateJobRequest.newBuilder().setName(name(id));
    if (update.priority() != null) {
      request.setPriority(update.priority());
    }
    if (update.maxRuntime() != null) {
      request.setMaxRuntime(TimeMessages.duration(update.maxRuntime()));
    }
    return connection.call(
        JobServiceGrpc.getUpdateJobMethod(),
        request.setQueue(ValueMessages.text(update.queue())).build(),
        Idempotency.IDEMPOTENT);
  }

  /// Cancels the jobs that match, at most 10,000.
  ///
  /// @param countOnly change nothing
  /// @param pageToken from the answer before; empty: begin with the oldest
  public ChangeJobsResponse cancelAll(
      JobFilter filter, boolean skipCallback, String reason, boolean countOnly, String pageToken) {
    return connection.call(
        JobServiceGrpc.getCancelJobsMethod(),
        CancelJobsRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setFilter(JobMessages.filter(filter))
            .setSkipCallback(skipCallback)
            .setReason(reason)
            .setValidateOnly(countOnly)
            .setPageToken(pageToken)
            .build(),
        Idempotency.IDEMPOTENT);
  }

  /// Requeues the jobs that match, at most 10,000.
  ///
  /// @param countOnly change nothing
  /// @param pageToken from the answer before; empty: begin with the oldest
  public ChangeJobsResponse requeueAll(JobFilter filter, boolean countOnly, String pageToken) {
    return connection.call(
        JobServiceGrpc.getRequeueJobsMethod(),
        RequeueJobsRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setFilter(JobMessages.filter(filter))
            .setValidateOnly(countOnly)
            .setPageToken(pageToken)
            .build(),
        countOnly ? Idempotency.IDEMPOTENT : Idempotency.NOT_IDEMPOTENT);
  }

  public JobExplanation explain(String id) {
    return connection.call(
        JobServiceGrpc.getExplainJobMethod(),
        ExplainJobRequest.newBuilder().setName(name(id)).build(),
        Idempotency.IDEMPOTENT);
  }

  /// Reads output.
  ///
  /// @param attempt 0: the current or last
  /// @param tailBytes 0: all that is kept
  public LogReader logs(String id, int attempt, int worker, boolean follow, long tailBytes) {
    return new LogReader(
        connection,
        ReadJobLogsRequest.newBuilder()
            .setName(name(id))
            .setAttempt(attempt)
            .setWorker(worker)
            .setFollow(follow)
            .setTailBytes(tailBytes)
            .build());
  }

  /// One page of events, newest first. It may have fewer than asked for, even none, and a next.
  public ListEventsResponse events(EventFilter filter, int pageSize, String pageToken) {
    ListEventsRequest.Builder request =
        ListEventsRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setJob(ValueMessages.text(filter.job()))
            .setPolicy(ValueMessages.text(filter.policy()))
            .setByJob(ValueMessages.text(filter.byJob()))
            .setPreemptionsOnly(filter.byWhom() != null)
            .setPageSize(pageSize)
            .setPageToken(pageToken);
    Instant after = filter.after();
    if (after != null) {
      request.setAfter(TimeMessages.timestamp(after));
    }
    return connection.call(
        JobServiceGrpc.getListEventsMethod(), request.build(), Idempotency.IDEMPOTENT);
  }

  /// Follows events, from a version or (0) from now on.
  public EventWatch watchEvents(long version) {
    return new EventWatch(
        connection,
        WatchEventsRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setVersion(version)
            .build());
  }

  private String name(String id) {
    return ResourceNames.of(tenant, "jobs", id);
  }
}
