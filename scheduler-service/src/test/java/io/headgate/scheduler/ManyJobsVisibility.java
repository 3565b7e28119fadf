package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.scheduler.v1.CancelJobsRequest;
import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobFilter;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.proto.scheduler.v1.RequeueJobsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;

/// Lists and changes of many jobs by each caller of [VisibilityMatrixTest].
final class ManyJobsVisibility {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private ManyJobsVisibility() {}

  static void cancelsMany(boolean isOpen) {
    changesMany(
        isOpen,
        (jobs, filter) ->
            jobs.cancelJobs(
                CancelJobsRequest.newBuilder().setParent(ACME).setFilter(filter).build()),
        Job.State.STATE_CANCELLED);
  }

  static void requeuesMany(boolean isOpen) {
    changesMany(
        isOpen,
        (jobs, filter) ->
            jobs.requeueJobs(
                RequeueJobsRequest.newBuilder()
                    .setParent(ACME)
                    .setFilter(filter.toBuilder().addStates(Job.State.STATE_DRAFT))
                    .build()),
        Job.State.STATE_WAITING);
  }

  private interface OfMany {
    ChangeJobsResponse call(JobServiceBlockingStub jobs, JobFilter filter);
  }

  private static void changesMany(boolean isOpen, OfMany call, Job.State changed) {
    VisibilityMatrixTest.each(
        isOpen,
        (caller, jobs) -> {
          String label = "many-" + NUMBER.incrementAndGet();
          SubmitJobRequest.Builder draft = submit("rnd-3", label).toBuilder();
          draft.getSpecBuilder().setDraft(true).putLabels("many", label);
          VisibilityMatrixTest.alice().submitJob(draft.build());
          JobFilter filter = JobFilter.newBuilder().putLabels("many", label).build();
          if (caller.isForeign()) {
            assertThat(VisibilityMatrixTest.outcome("", () -> call.call(jobs, filter)))
                .startsWith("TENANT_NOT_FOUND");
            return;
          }
          ChangeJobsResponse answer = call.call(jobs, filter);
          assertThat(answer.getChanged()).as("%s", caller).isEqualTo(caller.steers ? 1 : 0);
          assertThat(answer.getNotOwned())
              .as("%s", caller)
              .isEqualTo(!caller.steers && caller.sees(isOpen) ? 1 : 0);
          Job.State state = Installation.get(VisibilityMatrixTest.alice(), label).getState();
          assertThat(state)
              .isIn(
                  caller.steers
                      ? EnumSet.of(changed, Job.State.STATE_ASSIGNED, Job.State.STATE_RUNNING)
                      : EnumSet.of(Job.State.STATE_DRAFT));
        });
  }

  static void lists(boolean isOpen) {
    String job = VisibilityMatrixTest.fresh();
    ListJobsRequest request =
        ListJobsRequest.newBuilder().setParent(ACME).setPageSize(1000).build();
    VisibilityMatrixTest.each(
        isOpen,
        (caller, jobs) -> {
          if (caller.isForeign()) {
            assertThat(VisibilityMatrixTest.outcome("", () -> jobs.listJobs(request)))
                .startsWith("TENANT_NOT_FOUND");
            return;
          }
          ListJobsResponse page = jobs.listJobs(request);
          assertThat(page.getJobsList().stream().map(Job::getName).anyMatch(job::equals))
              .as("%s", caller)
              .isEqualTo(caller.sees(isOpen));
          assertThat(page.getCountsMap().values().stream().mapToLong(Long::longValue).sum())
              .as("counts of %s", caller)
              .isEqualTo(page.getJobsCount());
        });
  }
}
