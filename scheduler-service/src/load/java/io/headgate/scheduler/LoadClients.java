package io.headgate.scheduler;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Channel;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceFutureStub;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// Submitting clients: some connections to the leader, used in turn. Each submission has a request
/// id, so the scheduler takes a repeated one once.
final class LoadClients {
  private final List<JobServiceBlockingStub> stubs = new ArrayList<>();
  private final List<JobServiceFutureStub> futures = new ArrayList<>();
  private final AtomicInteger names = new AtomicInteger();

  LoadClients(LoadRig rig, int connections) {
    for (int i = 0; i < connections; i++) {
      Channel channel = rig.channel();
      stubs.add(JobServiceGrpc.newBlockingStub(channel));
      futures.add(JobServiceGrpc.newFutureStub(channel));
    }
  }

  JobServiceBlockingStub stub(int number) {
    return stubs.get(number % stubs.size());
  }

  JobServiceFutureStub future(int number) {
    return futures.get(number % futures.size());
  }

  /// One that no job had.
  String name(String prefix) {
    return prefix + "-" + names.incrementAndGet();
  }

  static SubmitJobRequest request(SubmitJobRequest job) {
    return job.toBuilder().setRequestId(UUID.randomUUID().toString()).build();
  }

  static BatchSubmitJobsRequest batch(List<SubmitJobRequest> jobs) {
    return BatchSubmitJobsRequest.newBuilder()
        .setParent(Fixtures.ACME)
        .setRequestId(UUID.randomUUID().toString())
        .addAllRequests(jobs)
        .build();
  }

  static BatchSubmitJobsRequest batch(String queue, int jobs) {
    return batch(Stream.generate(() -> Fixtures.submit(queue)).limit(jobs).toList());
  }

  /// Submits, and waits until that is durable.
  void submit(int client, String queue) {
    var _ = stub(client).submitJob(request(Fixtures.submit(queue)));
  }

  void submitBatch(int client, String queue, int jobs) {
    var _ = stub(client).batchSubmitJobs(batch(queue, jobs));
  }

  /// Submits jobs with these names to the queue of quick ones, together if they are several.
  ListenableFuture<?> begin(int client, List<String> jobs) {
    return jobs.size() == 1
        ? future(client).submitJob(request(Fixtures.submit(LoadRig.QUICK, jobs.getFirst())))
        : future(client)
            .batchSubmitJobs(
                batch(jobs.stream().map(job -> Fixtures.submit(LoadRig.QUICK, job)).toList()));
  }
}
