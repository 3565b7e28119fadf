package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.spec;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.Status.Code;
import io.headgate.proto.scheduler.v1.AbortCallback;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.type.v1.Container;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Effects of submissions, and their refusals with field and value.
final class SubmissionTest {
  @RegisterExtension static final SharedInstallation SHARED = new SharedInstallation();

  private JobServiceBlockingStub alice;

  @BeforeEach
  void open() {
    alice = SHARED.get().alice();
  }

  private static SubmitJobRequest with(Consumer<JobSpec.Builder> change) {
    JobSpec.Builder spec = spec("rnd-1").toBuilder();
    change.accept(spec);
    return SubmitJobRequest.newBuilder().setParent(ACME).setSpec(spec).build();
  }

  private long jobs() {
    return alice
        .listJobs(ListJobsRequest.newBuilder().setParent(ACME).setPageSize(1).build())
        .getCountsMap()
        .values()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  record Case(String name, SubmitJobRequest request, String field, List<String> parts) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> badSpecs() {
    return List.of(
        new Case(
            "own variables",
            with(spec -> spec.putEnvironment("HEADGATE_ATTEMPT", "7")),
            "spec.environment[HEADGATE_ATTEMPT]",
            List.of("set by Headgate")),
        new Case(
            "loader variables",
            with(spec -> spec.putEnvironment("LD_PRELOAD", "/tmp/evil.so")),
            "spec.environment[LD_PRELOAD]",
            List.of("loader variables are refused")),
        new Case(
            "abort timeout",
            with(spec ->
                spec.setAbortCallback(
                    AbortCallback.newBuilder()
                        .addCommand("/bin/true")
                        .setTimeout(Duration.newBuilder().setSeconds(1801)))),
            "spec.abort_callback.timeout",
            List.of("30m1s", "30m")),
        new Case(
            "grace",
            with(spec -> spec.setTerminationGrace(Duration.newBuilder().setSeconds(601))),
            "spec.termination_grace",
            List.of("10m1s", "10m")),
        new Case(
            "no time at all",
            with(spec -> spec.setMaxRuntime(Duration.getDefaultInstance())),
            "spec.max_runtime",
            List.of("0s is not between")),
        new Case(
            "kept for longer than a day",
            with(spec -> spec.setSuspend(Duration.newBuilder().setSeconds(86_401))),
            "spec.suspend",
            List.of("is not between 1s and 1d")),
        new Case(
            "relative directory",
            with(spec -> spec.setWorkingDirectory("data")),
            "spec.working_directory",
            List.of("'data'", "not absolute")),
        new Case(
            "directory with a line break",
            with(spec -> spec.setWorkingDirectory("/a\nb")),
            "spec.working_directory",
            List.of("control character")),
        new Case(
            "directory upwards",
            with(spec -> spec.setWorkingDirectory("/data/../etc")),
            "spec.working_directory",
            List.of("leads upwards")),
        new Case(
            "path as an image",
            with(spec -> spec.setContainer(Container.newBuilder().setImage("dir:/etc"))),
            "spec.container.image",
            List.of("'dir:/etc'", "registry")),
        new Case(
            "label",
            with(spec -> spec.putLabels("a=b", "c")),
            "spec.labels[a=b]",
            List.of("letters")));
  }

  @ParameterizedTest
  @MethodSource("badSpecs")
  void refusesABadSpecificationByFieldAndValue(Case given) {
    long before = jobs();
    Refused.by(() -> alice.submitJob(given.request()))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_SPEC")
        .names(given.field(), given.parts().toArray(new String[0]));
    assertThat(jobs()).isEqualTo(before);
  }

  @Test
  void refusesANulAnywhereAsEveryServiceDoes() {
    Refused.by(() -> alice.submitJob(with(spec -> spec.addCommand("a\0b"))))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_FIELD")
        .names("spec.command[1]", "NUL");
    Refused.by(() -> alice.submitJob(with(spec -> spec.putEnvironment("PATH", "\0"))))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_FIELD")
        .names("spec.environment[\"PATH\"]", "NUL");
  }

  @Test
  void refusesAnUnknownQueueAndSuggestsTheNearest() {
    Refused.by(() -> alice.submitJob(submit("rnd-33")))
        .hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND")
        .names("spec.queue", "'rnd-33'", "did you mean 'rnd-3'?")
        .says("suggestion", "rnd-3");
  }

  @Test
  void refusesATakenName() {
    String name = SHARED.fresh("taken");
    submit(alice, submit("rnd-1", name));
    Refused.by(() -> alice.submitJob(submit("rnd-1", name)))
        .hasReason(Code.ALREADY_EXISTS, "NAME_TAKEN")
        .names("job_id", name);
  }

  @Test
  void givesTheNextFreeNumberAfterEveryNumberThePrefixEverHad() {
    SubmitJobRequest numbered = submit("rnd-1").toBuilder().setIdPrefix("train").build();
    assertThat(submit(alice, numbered)).isEqualTo("train-1");
    submit(alice, submit("rnd-1", "train-7"));
    assertThat(submit(alice, numbered)).isEqualTo("train-8");
  }

  @Test
  void oneOfManyWhoAskForANameAtOnceGetsIt() {
    String name = SHARED.fresh("race");
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<String>> all =
          IntStream.range(0, 20)
              .mapToObj(_ ->
                  CompletableFuture.supplyAsync(() -> submit(alice, submit("rnd-1", name)), pool))
              .toList();
      all.forEach(each -> each.handle((_, _) -> null).join());
      assertThat(all.stream().filter(each -> !each.isCompletedExceptionally())).hasSize(1);
    }
  }

  @Test
  void answersARepeatedRequestWithTheSameJob() {
    SubmitJobRequest request =
        submit("rnd-1").toBuilder().setRequestId(UUID.randomUUID().toString()).build();
    Job first = alice.submitJob(request);
    Job again = alice.submitJob(request);
    assertThat(again.getName()).isEqualTo(first.getName());
    Refused.by(() ->
            alice.submitJob(
                request.toBuilder().setSpec(request.getSpec().toBuilder().setPriority(5)).build()))
        .hasReason(Code.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
        .names("request_id", request.getRequestId());
  }

  @Test
  void answersManyRepetitionsAtOnceWithOneJob() {
    long before = jobs();
    SubmitJobRequest request =
        submit("rnd-1").toBuilder().setRequestId(UUID.randomUUID().toString()).build();
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<String> names =
          IntStream.range(0, 30)
              .mapToObj(_ -> CompletableFuture.supplyAsync(() -> submit(alice, request), pool))
              .toList()
              .stream()
              .map(CompletableFuture::join)
              .distinct()
              .toList();
      assertThat(names).hasSize(1);
    }
    assertThat(jobs()).isEqualTo(before + 1);
  }

  @Test
  void tellsEachOfManyRepetitionsWhyItIsRefused() {
    SubmitJobRequest request =
        submit("no-such-queue").toBuilder().setRequestId(UUID.randomUUID().toString()).build();
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      IntStream.range(0, 30)
          .mapToObj(_ ->
              CompletableFuture.supplyAsync(() -> Refused.by(() -> alice.submitJob(request)), pool))
          .toList()
          .forEach(each -> each.join().hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND"));
    }
  }

  @Test
  void takesABatchWholeAndAnswersItsRepetitionInTheSameOrder() {
    BatchSubmitJobsRequest.Builder batch =
        BatchSubmitJobsRequest.newBuilder()
            .setParent(ACME)
            .setRequestId(UUID.randomUUID().toString());
    for (int i = 0; i < 500; i++) {
      batch.addRequests(submit("rnd-1").toBuilder().setIdPrefix("batch"));
    }
    List<String> names =
        alice.batchSubmitJobs(batch.build()).getJobsList().stream().map(Job::getName).toList();
    assertThat(names).hasSize(500).doesNotHaveDuplicates();
    assertThat(names.getFirst()).endsWith("/batch-1");
    assertThat(names.getLast()).endsWith("/batch-500");
    assertThat(
            alice.batchSubmitJobs(batch.build()).getJobsList().stream().map(Job::getName).toList())
        .isEqualTo(names);
  }

  @Test
  void refusesAWholeBatchForOneBadJobByIndex() {
    long before = jobs();
    BatchSubmitJobsRequest.Builder batch = BatchSubmitJobsRequest.newBuilder().setParent(ACME);
    // As many as a batch may have, of an ordinary size.
    SubmitJobRequest good = with(spec -> spec.putEnvironment("DATA", "/data/".repeat(50)));
    for (int i = 0; i < 10_000; i++) {
      batch.addRequests(i == 6170 ? submit("no-such-queue") : good);
    }
    Refused.by(() -> alice.batchSubmitJobs(batch.build()))
        .hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND")
        .names("requests[6170].spec.queue", "'no-such-queue'");
    batch.setRequests(6170, with(spec -> spec.putEnvironment("LD_AUDIT", "x")));
    Refused.by(() -> alice.batchSubmitJobs(batch.build()))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_SPEC")
        .names("requests[6170].spec.environment[LD_AUDIT]");
    assertThat(jobs()).isEqualTo(before);
    String name = SHARED.fresh("twice");
    batch
        .setRequests(6170, submit("rnd-1"))
        .setRequests(3, submit("rnd-1", name))
        .setRequests(4, submit("rnd-1", name));
    Refused.by(() -> alice.batchSubmitJobs(batch.build()))
        .hasReason(Code.ALREADY_EXISTS, "NAME_TAKEN")
        .names("requests[4].job_id", name);
    assertThat(jobs()).isEqualTo(before);
  }

  @Test
  void checksWithoutSubmitting() {
    long before = jobs();
    Job checked = alice.submitJob(submit("rnd-3").toBuilder().setValidateOnly(true).build());
    assertThat(checked.getSpec().getQueue()).isEqualTo("rnd-3");
    assertThat(checked.getAttemptsCount() > 0 || checked.hasReason()).isTrue();
    assertThat(jobs()).isEqualTo(before);
  }

  @Test
  void keepsADraftUntilItIsRequeued() {
    String name = SHARED.fresh("draft");
    Job draft =
        alice.submitJob(
            submit("rnd-1", name).toBuilder()
                .setSpec(spec("rnd-1").toBuilder().setDraft(true))
                .build());
    assertThat(draft.getState()).isEqualTo(Job.State.STATE_DRAFT);
    assertThat(draft.getReason().getCode()).isEqualTo("DRAFT");
    alice.requeueJob(RequeueJobRequest.newBuilder().setName(draft.getName()).build());
    assertThat(get(alice, name).getState()).isNotEqualTo(Job.State.STATE_DRAFT);
  }
}
