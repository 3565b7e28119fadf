package io.headgate.scheduler;

import io.grpc.Channel;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobFilter;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc.UsageServiceBlockingStub;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The cost of one `headgate top` for the scheduler and the database: the same calls at the same
/// intervals as `TopFetch` of the command line makes, less what both use without it.
record LoadTop(LoadRig rig, LoadBenchmark.Options options, LoadFigures figures) {
  private static final int WARMING = 200;
  private static final int LINES = 40;
  private static final int EVENTS = 3;
  private static final double GOAL_PERCENT = 2;

  private enum View {
    POOLS,
    JOBS,
    NODES
  }

  void measure() {
    Channel channel = rig.channel();
    Calls calls =
        new Calls(
            JobServiceGrpc.newBlockingStub(channel), UsageServiceGrpc.newBlockingStub(channel));
    for (int i = 0; i < WARMING; i++) {
      for (View view : View.values()) {
        calls.round(i, view);
      }
    }
    double[] idle = perSecond(() -> {}, 0);
    for (View view : View.values()) {
      int[] round = {0};
      double[] used = perSecond(() -> calls.round(round[0]++, view), 1);
      Map<String, String> parameters = Map.of("view", view.name());
      figures.print(
          "top_cpu",
          parameters,
          Math.max(0, used[0] - idle[0]) * 100,
          "% of a core",
          0,
          OptionalDouble.of(GOAL_PERCENT));
      figures.print(
          "top_database_cpu",
          parameters,
          Math.max(0, used[1] - idle[1]) * 100,
          "% of a core",
          0,
          OptionalDouble.empty());
    }
  }

  /// Processor seconds of scheduler and database in each second, in which something is done once.
  private double[] perSecond(Runnable once, int each) {
    double[] before = rig.cpuSeconds();
    long begun = System.nanoTime();
    for (int i = 1; i <= options.seconds(); i++) {
      if (each > 0) {
        once.run();
      }
      long due = begun + TimeUnit.SECONDS.toNanos(i);
      while (System.nanoTime() < due) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
    }
    double[] after = rig.cpuSeconds();
    return new double[] {
      (after[0] - before[0]) / options.seconds(), (after[1] - before[1]) / options.seconds()
    };
  }

  private record Calls(JobServiceBlockingStub jobs, UsageServiceBlockingStub usage) {
    void round(int number, View view) {
      if (number % 5 == 0) {
        var _ = usage.getLeadership(GetLeadershipRequest.getDefaultInstance());
      }
      if (number % 2 == 0) {
        var _ =
            jobs.listEvents(
                ListEventsRequest.newBuilder()
                    .setParent(Fixtures.ACME)
                    .setPageSize(EVENTS)
                    .build());
      }
      if (view == View.POOLS || number % 2 == 0) {
        var _ =
            usage.listPoolUsages(
                ListPoolUsagesRequest.newBuilder().setParent(Fixtures.ACME).build());
      }
      if (view == View.POOLS) {
        var _ =
            usage.listPolicyUsages(
                ListPolicyUsagesRequest.newBuilder().setParent(Fixtures.ACME).build());
      }
      if (view == View.NODES && number % 2 == 0) {
        var _ =
            usage.listNodeUsages(
                ListNodeUsagesRequest.newBuilder().setParent(Fixtures.ACME).build());
      }
      if (view == View.JOBS && number % 2 == 0) {
        page(
            List.of(
                Job.State.STATE_RUNNING,
                Job.State.STATE_ASSIGNED,
                Job.State.STATE_STOPPING,
                Job.State.STATE_SUSPENDED));
        page(List.of(Job.State.STATE_WAITING));
      }
    }

    private void page(List<Job.State> states) {
      var _ =
          jobs.listJobs(
              ListJobsRequest.newBuilder()
                  .setParent(Fixtures.ACME)
                  .setPageSize(LINES)
                  .setFilter(JobFilter.newBuilder().addAllStates(states))
                  .build());
    }
  }
}
