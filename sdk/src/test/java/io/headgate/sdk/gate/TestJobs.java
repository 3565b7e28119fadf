package io.headgate.sdk.gate;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsResponse;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.CancelJobsRequest;
import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.proto.scheduler.v1.JobFilter;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/// Jobs in memory, with versions and watches.
public final class TestJobs extends JobServiceGrpc.JobServiceImplBase implements AutoCloseable {
  /// The hash that all callers have.
  public static final String VISIBILITY_HASH = "of-all";

  public final List<SubmitJobRequest> submissions = new CopyOnWriteArrayList<>();
  public final List<ListJobsRequest> lists = new CopyOnWriteArrayList<>();
  public final List<WatchJobsRequest> watches = new CopyOnWriteArrayList<>();
  public final List<ReadJobLogsRequest> logRequests = new CopyOnWriteArrayList<>();
  public final List<Event> events = new CopyOnWriteArrayList<>();
  public final Map<String, JobExplanation> explanations = new TreeMap<>();

  /// The pieces that answer a log request; none by default.
  public volatile BiConsumer<ReadJobLogsRequest, StreamObserver<ReadJobLogsResponse>> logs =
      (_, answer) -> answer.onCompleted();

  /// The state of a submitted job; it waits by default.
  public volatile UnaryOperator<Job> onSubmit = job -> job;

  private final Object lock = new Object();
  private final Map<String, Job> jobs = new LinkedHashMap<>();
  private final Map<String, List<Job>> byRequest = new LinkedHashMap<>();
  private final List<ServerCallStreamObserver<WatchJobsResponse>> watchers = new ArrayList<>();
  private long version = 100;

  /// Stores a job and informs the watchers.
  public Job put(Job job) {
    synchronized (lock) {
      Job stored = job.toBuilder().setVersion(++version).build();
      jobs.put(stored.getName(), stored);
      WatchJobsResponse step =
          WatchJobsResponse.newBuilder().setVersion(version).addJobs(summary(stored)).build();
      watchers.forEach(watcher -> watcher.onNext(step));
      return stored;
    }
  }

  public void change(String id, UnaryOperator<Job> change) {
    synchronized (lock) {
      put(change.apply(jobs.get("tenants/acme/jobs/" + id)));
    }
  }

  public int watcherCount() {
    synchronized (lock) {
      return watchers.size();
    }
  }

  /// Ends every watch with this status.
  public void breakWatches(Status status) {
    synchronized (lock) {
      watchers.forEach(watcher -> watcher.onError(status.asRuntimeException()));
      watchers.clear();
    }
  }

  /// Breaks the watch, and changes the job before the client can reconnect.
  public void breakWatchesAndChange(Status status, String id, UnaryOperator<Job> change) {
    synchronized (lock) {
      breakWatches(status);
      change(id, change);
    }
  }

  /// The job as it is now.
  public Job job(String id) {
    synchronized (lock) {
      return Objects.requireNonNull(jobs.get("tenants/acme/jobs/" + id));
    }
  }

  /// Sends one step to every watcher, unchanged.
  public void sendToWatchers(WatchJobsResponse step) {
    synchronized (lock) {
      watchers.forEach(watcher -> watcher.onNext(step));
    }
  }

  @Override
  public void submitJob(SubmitJobRequest request, StreamObserver<Job> answer) {
    submissions.add(request);
    synchronized (lock) {
      List<Job> known = byRequest.get(request.getRequestId());
      Job job =
          known != null && !request.getRequestId().isEmpty()
              ? known.getFirst()
              : onSubmit.apply(made(request));
      if (!request.getValidateOnly()) {
        byRequest.putIfAbsent(request.getRequestId(), List.of(job));
        put(job);
      }
      answer.onNext(job);
    }
    answer.onCompleted();
  }

  @Override
  public void batchSubmitJobs(
      BatchSubmitJobsRequest request, StreamObserver<BatchSubmitJobsResponse> answer) {
    synchronized (lock) {
      List<Job> made =
          byRequest.computeIfAbsent(
              request.getRequestId(),
              _ -> request.getRequestsList().stream().map(this::made).map(this::put).toList());
      answer.onNext(BatchSubmitJobsResponse.newBuilder().addAllJobs(made).build());
    }
    answer.onCompleted();
  }

  private Job made(SubmitJobRequest request) {
    String prefix =
        request.getIdPrefix().isEmpty() ? request.getSpec().getQueue() : request.getIdPrefix();
    String id =
        request.getJobId().isEmpty() ? prefix + "-" + (jobs.size() + 1) : request.getJobId();
    Job job =
        Job.newBuilder()
            .setName(request.getParent() + "/jobs/" + id)
            .setSpec(request.getSpec())
            .setState(Job.State.STATE_WAITING)
            .setUser("ada")
            .setPolicy("ai-dev")
            .setProfile("half")
            .setGpus("1/2")
            .setWorkers(1)
            .setPosition(1)
            .build();
    jobs.putIfAbsent(job.getName(), job);
    return job;
  }

  /// The answers to changes of many jobs, in turn.
  public final Queue<ChangeJobsResponse> bulkAnswers = new ConcurrentLinkedQueue<>();

  public final List<CancelJobsRequest> bulkCancels = new CopyOnWriteArrayList<>();
  public final List<RequeueJobsRequest> bulkRequeues = new CopyOnWriteArrayList<>();
  public final List<UpdateJobRequest> updates = new CopyOnWriteArrayList<>();
  public final List<RequeueJobRequest> requeues = new CopyOnWriteArrayList<>();

  @Override
  public void cancelJobs(CancelJobsRequest request, StreamObserver<ChangeJobsResponse> answer) {
    bulkCancels.add(request);
    answer.onNext(bulkAnswers.remove());
    answer.onCompleted();
  }

  @Override
  public void requeueJobs(RequeueJobsRequest request, StreamObserver<ChangeJobsResponse> answer) {
    bulkRequeues.add(request);
    answer.onNext(bulkAnswers.remove());
    answer.onCompleted();
  }

  @Override
  public void updateJob(UpdateJobRequest request, StreamObserver<Job> answer) {
    updates.add(request);
    answerWith(request.getName(), answer);
  }

  @Override
  public void getJob(GetJobRequest request, StreamObserver<Job> answer) {
    answerWith(request.getName(), answer);
  }

  private void answerWith(String name, StreamObserver<Job> answer) {
    Job job;
    synchronized (lock) {
      job = jobs.get(name);
    }
    if (job == null) {
      String id = name.substring(name.lastIndexOf('/') + 1);
      answer.onError(
          TestGate.refusal(
              Status.Code.NOT_FOUND, "JOB_NOT_FOUND", "job \"" + id + "\" does not exist"));
      return;
    }
    answer.onNext(job);
    answer.onCompleted();
  }

  @Override
  public void listJobs(ListJobsRequest request, StreamObserver<ListJobsResponse> answer) {
    lists.add(request);
    synchronized (lock) {
      JobFilter filter = request.getFilter();
      List<Job> all =
          new ArrayList<>(jobs.values())
              .reversed().stream()
                  .filter(job ->
                      filter.getQueuesCount() == 0
                          || filter.getQueuesList().contains(job.getSpec().getQueue()))
                  .filter(job ->
                      filter.getStatesCount() == 0
                          || filter.getStatesList().contains(job.getState()))
                  .toList();
      int from = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
      int to = Math.min(all.size(), from + request.getPageSize());
      ListJobsResponse.Builder page =
          ListJobsResponse.newBuilder()
              .addAllJobs(all.subList(from, to).stream().map(TestJobs::summary).toList());
      if (to < all.size()) {
        page.setNextPageToken(String.valueOf(to));
      }
      all.forEach(job ->
          page.putCounts(
              job.getState().name(), page.getCountsOrDefault(job.getState().name(), 0) + 1));
      answer.onNext(page.build());
    }
    answer.onCompleted();
  }

  /// The job as in lists: without its command and environment.
  private static Job summary(Job job) {
    return job.toBuilder()
        .setSpec(
            job.getSpec().toBuilder()
                .clearCommand()
                .clearEnvironment()
                .clearWorkingDirectory()
                .clearDraft()
                .clearAbortCallback()
                .clearTerminationGrace())
        .build();
  }

  @Override
  public void watchJobs(WatchJobsRequest request, StreamObserver<WatchJobsResponse> answer) {
    watches.add(request);
    ServerCallStreamObserver<WatchJobsResponse> watcher =
        (ServerCallStreamObserver<WatchJobsResponse>) answer;
    synchronized (lock) {
      boolean snapshot = request.getVersion() == 0;
      List<Job> news =
          jobs.values().stream().filter(job -> job.getVersion() > request.getVersion()).toList();
      watcher.onNext(
          WatchJobsResponse.newBuilder()
              .setVersion(version)
              .setSnapshot(snapshot)
              .setSnapshotComplete(snapshot)
              .setVisibilityHash(VISIBILITY_HASH)
              .addAllJobs(news.stream().map(TestJobs::summary).toList())
              .build());
      watcher.setOnCancelHandler(() -> remove(watcher));
      watchers.add(watcher);
    }
  }

  private void remove(ServerCallStreamObserver<WatchJobsResponse> watcher) {
    synchronized (lock) {
      watchers.remove(watcher);
    }
  }

  @Override
  public void cancelJob(CancelJobRequest request, StreamObserver<Job> answer) {
    synchronized (lock) {
      if (!jobs.containsKey(request.getName())) {
        answer.onError(
            TestGate.refusal(
                Status.Code.NOT_FOUND, "JOB_NOT_FOUND", "no job is called " + request.getName()));
        return;
      }
    }
    change(
        request.getName().substring(request.getName().lastIndexOf('/') + 1),
        job -> job.toBuilder().setState(Job.State.STATE_CANCELLED).build());
    answerWith(request.getName(), answer);
  }

  @Override
  public void requeueJob(RequeueJobRequest request, StreamObserver<Job> answer) {
    requeues.add(request);
    answerWith(request.getName(), answer);
  }

  @Override
  public void readJobLogs(ReadJobLogsRequest request, StreamObserver<ReadJobLogsResponse> answer) {
    logRequests.add(request);
    logs.accept(request, answer);
  }

  @Override
  public void explainJob(ExplainJobRequest request, StreamObserver<JobExplanation> answer) {
    JobExplanation explanation = explanations.get(request.getName());
    if (explanation == null) {
      answer.onError(
          TestGate.refusal(
              Status.Code.NOT_FOUND, "JOB_NOT_FOUND", "no job is called " + request.getName()));
      return;
    }
    answer.onNext(explanation);
    answer.onCompleted();
  }

  @Override
  public void listEvents(ListEventsRequest request, StreamObserver<ListEventsResponse> answer) {
    List<Event> found =
        events.reversed().stream()
            .filter(event -> request.getJob().isEmpty() || event.getJob().equals(request.getJob()))
            .filter(event ->
                request.getPolicy().isEmpty() || event.getPolicy().equals(request.getPolicy()))
            .filter(event ->
                request.getByJob().isEmpty()
                    || event.getPreemption().getByJob().equals(request.getByJob()))
            .filter(event -> event.getTime().getSeconds() >= request.getAfter().getSeconds())
            .toList();
    answer.onNext(ListEventsResponse.newBuilder().addAllEvents(found).build());
    answer.onCompleted();
  }

  @Override
  public void watchEvents(WatchEventsRequest request, StreamObserver<WatchEventsResponse> answer) {
    answer.onNext(
        WatchEventsResponse.newBuilder()
            .setVersion(events.isEmpty() ? 0 : events.getLast().getVersion())
            .addAllEvents(events)
            .build());
  }

  @Override
  public void close() {
    breakWatches(Status.UNAVAILABLE);
  }
}
