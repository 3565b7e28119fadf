package io.headgate.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import io.grpc.Status;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.sdk.gate.TestGate;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.HeadgateException.FieldViolation;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.model.StatusCode;
import io.headgate.sdk.model.Submission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetryTest {
  private static final JobSpec SPEC = JobSpec.of("ai-dev-half", List.of("python", "train.py"));

  private final TestGate gate = TestGate.open();
  private final List<HeadgateException> retried = new ArrayList<>();
  private final HeadgateClient client = HeadgateClient.connect(gate.config(), retried::add);

  @AfterEach
  void close() {
    client.close();
    gate.close();
  }

  @Test
  void retriesUnavailableAndSubmitsOnce() {
    gate.failNext("SubmitJob", TestGate.refusal(Status.Code.UNAVAILABLE, "NO_LEADER", "electing"));
    gate.failNext("SubmitJob", Status.UNAVAILABLE.asRuntimeException());

    Job job = client.jobs("acme").submit(SPEC);

    assertThat(job.id()).isEqualTo("ai-dev-half-1");
    assertThat(gate.count("SubmitJob")).isEqualTo(3);
    assertThat(retried)
        .extracting(HeadgateException::reason)
        .containsExactly("NO_LEADER", "UNAVAILABLE");
  }

  @Test
  void repeatsTheRequestIdSoThatALostAnswerIsNotASecondJob() {
    String requestId = "7f0c0000-0000-0000-0000-000000000000";

    Job first = client.jobs("acme").submit(Submission.of(SPEC), requestId);
    Job second = client.jobs("acme").submit(Submission.of(SPEC), requestId);

    assertThat(second.id()).isEqualTo(first.id());
    assertThat(gate.jobs.submissions)
        .extracting(SubmitJobRequest::getRequestId)
        .containsExactly(requestId, requestId);
  }

  @Test
  void repeatsWhatIsSafeWhenTheServerGivesACallLessTimeThanItsCaller() {
    for (String method : List.of("SubmitJob", "RequeueJob")) {
      gate.failNext(
          method,
          TestGate.refusal(
              Status.Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", "the call did not end in time"));
    }
    Job job = client.jobs("acme").submit(SPEC);
    assertThat(gate.count("SubmitJob")).isEqualTo(2);

    assertThat(failure(() -> client.jobs("acme").requeue(job.id())).code())
        .isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(gate.count("RequeueJob")).isEqualTo(1);
  }

  @Test
  void makesAnotherRequestIdForEachSubmission() {
    client.jobs("acme").submit(SPEC);
    client.jobs("acme").submit(SPEC);

    assertThat(gate.jobs.submissions)
        .extracting(SubmitJobRequest::getRequestId)
        .doesNotHaveDuplicates()
        .allSatisfy(id -> assertThat(id).hasSize(36));
  }

  @Test
  void retriesExhaustedOnlyWhenTheServerSaysWhen() {
    gate.failNext(
        "ListJobs",
        TestGate.refusal(
            Status.Code.RESOURCE_EXHAUSTED, "RATE_LIMITED", "slow down", TestGate.retryAfter(5)));
    client.jobs("acme").list(JobFilter.ALL, 10, "");
    assertThat(gate.count("ListJobs")).isEqualTo(2);

    gate.failNext(
        "ListJobs",
        TestGate.refusal(Status.Code.RESOURCE_EXHAUSTED, "TOO_MANY_WAITING", "100 jobs wait"));
    HeadgateException e = failure(() -> client.jobs("acme").list(JobFilter.ALL, 10, ""));
    assertThat(e.reason()).isEqualTo("TOO_MANY_WAITING");
    assertThat(gate.count("ListJobs")).isEqualTo(3);
  }

  @Test
  void doesNotRetryWhatRetryingCannotMend() {
    for (Status status :
        List.of(Status.INTERNAL, Status.ABORTED, Status.PERMISSION_DENIED, Status.UNKNOWN)) {
      gate.failNext("GetJob", status.asRuntimeException());
      assertThat(failure(() -> client.jobs("acme").get("a")).code().name())
          .isEqualTo(status.getCode().name());
    }

    assertThat(gate.count("GetJob")).isEqualTo(4);
  }

  /// Requeueing is not idempotent, so it is sent again only after a plain refusal.
  @Test
  void repeatsAnUnrepeatableCallOnlyAfterTheServerSaidThatItDidNothing() {
    client.jobs("acme").submit(SPEC);
    gate.failNext("RequeueJob", TestGate.refusal(Status.Code.UNAVAILABLE, "NO_LEADER", "electing"));
    client.jobs("acme").requeue("ai-dev-half-1");
    assertThat(gate.count("RequeueJob")).isEqualTo(2);

    gate.failNext("RequeueJob", Status.UNAVAILABLE.asRuntimeException());
    assertThat(failure(() -> client.jobs("acme").requeue("ai-dev-half-1")).code())
        .isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(gate.count("RequeueJob")).isEqualTo(3);
  }

  @Test
  void quotesTheAnswerToTheTryBeforeTheOneThatTheDeadlineCutOff() {
    client.jobs("acme").submit(SPEC);
    gate.failNext("RequeueJob", TestGate.refusal(Status.Code.UNAVAILABLE, "NO_LEADER", "electing"));
    gate.failNext("RequeueJob", Status.DEADLINE_EXCEEDED.asRuntimeException());

    HeadgateException e = failure(() -> client.jobs("acme").requeue("ai-dev-half-1"));
    assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(e)
        .hasMessageContainingAll("no answer from", "the try before was answered: electing");
  }

  @Test
  void carriesEverythingTheServerSaid() {
    BadRequest bad =
        BadRequest.newBuilder()
            .addFieldViolations(
                BadRequest.FieldViolation.newBuilder()
                    .setField("spec.queue")
                    .setDescription("does not exist"))
            .build();
    gate.failNext(
        "SubmitJob",
        TestGate.refusal(
            Status.Code.NOT_FOUND,
            "QUEUE_NOT_FOUND",
            "queue \"x\" does not exist in tenant acme",
            Any.pack(bad)));

    HeadgateException e = failure(() -> client.jobs("acme").submit(SPEC));

    assertThat(e.code()).isEqualTo(StatusCode.NOT_FOUND);
    assertThat(e.reason()).isEqualTo("QUEUE_NOT_FOUND");
    assertThat(e).hasMessage("queue \"x\" does not exist in tenant acme");
    assertThat(e.failure().violations())
        .containsExactly(new FieldViolation("spec.queue", "does not exist"));
    assertThat(e.failure().requestId()).isEqualTo("req-1");
    assertThat(e.failure().traceId()).matches("[0-9a-f]{32}");
  }

  @Test
  void saysThatNothingListens() {
    int port = gate.port();
    gate.close();
    ClientConfig config =
        ClientConfig.of(new ServerAddress("127.0.0.1", port, false), new Credentials.None())
            .withPatience(Duration.ZERO);

    try (HeadgateClient lonely = HeadgateClient.connect(config)) {
      HeadgateException e = failure(lonely::whoAmI);

      assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(e)
          .hasMessage("nothing listens at http://127.0.0.1:" + port + " (connection refused)");
    }
  }

  @Test
  void waitsOutARestartOfTheServer() throws Exception {
    client.whoAmI();
    int port = gate.port();
    gate.close();
    CompletableFuture<String> answer =
        CompletableFuture.supplyAsync(() -> client.whoAmI().subject());

    try (TestGate restarted = TestGate.openAt(port)) {
      assertThat(answer.get(60, java.util.concurrent.TimeUnit.SECONDS))
          .isEqualTo("tenants/acme/users/ada");
      assertThat(restarted.count("WhoAmI")).isPositive();
    }
  }

  @Test
  void takesTheNextAddressWhenOneCannotBeReached() throws Exception {
    try (TestGate other = TestGate.open()) {
      ClientConfig config = gate.config().withOthers(List.of(other.address()));
      try (HeadgateClient twice = HeadgateClient.connect(config)) {
        twice.whoAmI();
        assertThat(other.count("WhoAmI")).isZero();
        gate.close();
        twice.whoAmI();
        assertThat(other.count("WhoAmI")).isPositive();
      }
    }
  }

  @Test
  void sendsOneTraceForAllCallsOfAConnection() {
    client.whoAmI();
    client.whoAmI();

    List<String> parents =
        gate.calls.stream()
            .filter(call -> call.method().equals("WhoAmI"))
            .map(TestGate.Call::traceParent)
            .toList();
    assertThat(parents)
        .hasSize(2)
        .doesNotHaveDuplicates()
        .allSatisfy(parent -> assertThat(parent).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00"));
    assertThat(parents.getFirst().substring(0, 35)).isEqualTo(parents.getLast().substring(0, 35));
  }

  private static HeadgateException failure(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    HeadgateException e = catchThrowableOfType(HeadgateException.class, call);
    assertThat(e).isNotNull();
    return e;
  }
}
