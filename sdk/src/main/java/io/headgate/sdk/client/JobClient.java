package io.headgate.sdk.client;

import io.headgate.proto.scheduler.v1.ListEventsResponse;
import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.sdk.model.BulkChange;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.EventFilter;
import io.headgate.sdk.model.Explanation;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobUpdate;
import io.headgate.sdk.model.Page;
import io.headgate.sdk.model.Submission;
import io.headgate.sdk.wire.BulkChanges;
import io.headgate.sdk.wire.Connection;
import io.headgate.sdk.wire.EventMessages;
import io.headgate.sdk.wire.JobCalls;
import io.headgate.sdk.wire.JobMessages;
import io.headgate.sdk.wire.Paging;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/// Jobs and events of one tenant.
public final class JobClient {
  private final JobCalls calls;

  JobClient(Connection connection, String tenant) {
    this.calls = new JobCalls(connection, tenant);
  }

  /// Submits a job. After the answer the job is durable, and retries have not submitted it twice.
  public Job submit(Submission submission) {
    return submit(submission, UUID.randomUUID().toString());
  }

  /// Submits under the caller's request id. A second submission with this id, even from another
  /// process, returns the first job.
  public Job submit(Submission submission, String requestId) {
    return JobMessages.job(calls.submit(submission, requestId, false));
  }

  /// Submits with defaults for everything else.
  public Job submit(JobSpec spec) {
    return submit(Submission.of(spec));
  }

  /// Submits nothing, and returns the job as the submission would create it.
  public Job check(Submission submission) {
    return JobMessages.job(calls.submit(submission, "", true));
  }

  /// Submits all or none, at most 10,000.
  public List<Job> submitAll(List<Submission> submissions) {
    return submitAll(submissions, UUID.randomUUID().toString());
  }

  /// Submits all or none, under the caller's request id.
  public List<Job> submitAll(List<Submission> submissions, String requestId) {
    return calls.submitAll(submissions, requestId).stream().map(JobMessages::job).toList();
  }

  public Job get(String id) {
    return JobMessages.job(calls.get(id));
  }

  /// One page, newest first.
  ///
  /// @param pageToken of the page before; empty: the first
  public Page<Job> list(JobFilter filter, int pageSize, String pageToken) {
    ListJobsResponse page = calls.list(filter, pageSize, pageToken);
    return new Page<>(
        page.getJobsList().stream().map(JobMessages::job).toList(), page.getNextPageToken());
  }

  /// All pages, newest first.
  public List<Job> listAll(JobFilter filter) {
    return Paging.collect(
            0,
            (size, token) -> {
              ListJobsResponse page = calls.list(filter, size, token);
              return new Paging.Fetched<>(page.getJobsList(), page.getNextPageToken());
            })
        .items()
        .stream()
        .map(JobMessages::job)
        .toList();
  }

  /// Follows jobs: first all that match, then every change, over any number of connections.
  public JobWatcher watch(JobFilter filter) {
    return watch(filter, 0);
  }

  /// Follows jobs from a version that was seen before.
  public JobWatcher watch(JobFilter filter, long version) {
    return new JobWatcher(calls.watch(filter, version));
  }

  /// Waits until a job meets a condition; empty when it does not in time.
  public Optional<Job> await(String id, Predicate<Job> condition, Duration timeout) {
    Job job = get(id);
    if (condition.test(job)) {
      return Optional.of(job);
    }
    try (JobTracker tracker = track(job, _ -> {})) {
      return tracker.await(condition, timeout);
    }
  }

  /// Follows one job.
  JobTracker track(Job job, java.util.function.Consumer<Job> onChange) {
    JobFilter narrow =
        JobFilter.ALL
            .withQueues(List.of(job.spec().queue()))
            .withUsers(List.of(job.user()))
            .withCreatedAfter(job.createTime());
    return new JobTracker(job, watch(narrow), onChange);
  }

  /// Passes on a job's output, through all its attempts, until it ends; returns the ended job.
  public Job follow(String id, JobFollower.Listener listener) {
    return new JobFollower(this, id, listener).follow();
  }

  /// Cancels. A running job is stopped with its abort callback; an ended one stays as it is.
  public Job cancel(String id) {
    return cancel(id, false, "");
  }

  public Job cancel(String id, boolean skipCallback, String reason) {
    return JobMessages.job(calls.cancel(id, skipCallback, reason));
  }

  /// Puts a job back in its queue.
  public Job requeue(String id) {
    return JobMessages.job(calls.requeue(id, "", false));
  }

  /// Puts a draft or an ended job into another queue.
  public Job requeue(String id, String queue) {
    return JobMessages.job(calls.requeue(id, queue, false));
  }

  /// Changes a job that waits or is a draft.
  public Job update(String id, JobUpdate update) {
    return JobMessages.job(calls.update(id, update));
  }

  /// Cancels all jobs that match and have not ended.
  public BulkChange cancelAll(JobFilter filter, String reason) {
    return BulkChanges.all(token -> calls.cancelAll(filter, false, reason, false, token));
  }

  /// Requeues all jobs that match. The filter names states, and not WAITING.
  public BulkChange requeueAll(JobFilter filter) {
    return BulkChanges.all(token -> calls.requeueAll(filter, false, token));
  }

  /// Reads a job's output.
  public LogStream logs(String id, LogOptions options) {
    return new LogStream(
        calls.logs(id, options.attempt(), options.worker(), options.follow(), options.tailBytes()));
  }

  /// Explains the state of a job.
  public Explanation explain(String id) {
    return EventMessages.explanation(calls.explain(id));
  }

  /// One page of events, newest first. It may have fewer than asked for, even none, and a next.
  public Page<Event> events(EventFilter filter, int pageSize, String pageToken) {
    ListEventsResponse page = calls.events(filter, pageSize, pageToken);
    return new Page<>(
        page.getEventsList().stream().map(EventMessages::event).toList(), page.getNextPageToken());
  }

  /// Follows events from a version on; 0: from now on.
  public EventWatcher watchEvents(long version) {
    return new EventWatcher(calls.watchEvents(version));
  }
}
