package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.scheduler.grpc.CopyBound;
import io.headgate.scheduler.grpc.LogReads;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Readers of output are bounded for a caller, a tenant and all together. Here the agent sends
/// nothing, so each reader stays.
final class ReadersBoundTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final int MANY = 100;

  private Installation installation;
  private FakeAgent agent;
  private String alice;
  private String admin;

  /// One reader: a call that ends with a refusal, or stays open.
  private record Reader(
      ClientCall<ReadJobLogsRequest, ReadJobLogsResponse> call,
      CompletableFuture<StatusRuntimeException> end) {
    void isRefused(String holder, int held, int most) {
      FakeAgent.awaitThat(end::isDone);
      Refused refused =
          Refused.by(
                  () -> {
                    throw end.join();
                  })
              .hasReason(Code.RESOURCE_EXHAUSTED, "TOO_MANY_READERS")
              .says("readers", Integer.toString(held))
              .says("limit", Integer.toString(most));
      assertThat(refused.refusal().message()).startsWith(holder + " has " + held + " readers");
      assertThat(refused.refusal().retryAfter()).isPositive();
    }
  }

  private void start(LogReads.Limits limits) {
    SchedulerConfig.Bounds defaults = SchedulerConfig.Bounds.DEFAULTS;
    SchedulerConfig.Bounds bounds =
        new SchedulerConfig.Bounds(
            defaults.commands(),
            defaults.queuedJobs(),
            defaults.batchJobs(),
            defaults.waiting(),
            defaults.submitCalls(),
            defaults.batchCalls(),
            CopyBound.Limits.DEFAULTS,
            limits,
            defaults.memoryPercent());
    installation = new Installation(POSTGRES.fresh(), config -> config.with(bounds));
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    agent = installation.agent("a-0").connect();
    submit(installation.alice(), submit("rnd-3", "prints"));
    awaitState(installation.alice(), "prints", Job.State.STATE_RUNNING);
    agent.abandoned();
    alice = installation.tokens.member("acme", "alice", "rnd");
    admin = installation.tokens.admin("acme");
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void aCallerHasNoMoreThanItsLimit() {
    start(new LogReads.Limits(MANY, MANY, 2));
    Reader first = stays(alice);
    stays(alice);
    open(alice).isRefused("tenants/acme/users/alice", 2, 2);
    stays(admin);

    first.call().cancel("seen enough", null);
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasCancelReadLogs));
    FakeAgent.awaitThat(() -> isOpen(open(alice), 4));
    open(alice).isRefused("tenants/acme/users/alice", 2, 2);
  }

  @Test
  void theCallersOfATenantHaveNoMoreThanItsLimit() {
    start(new LogReads.Limits(MANY, 3, MANY));
    stays(alice);
    stays(alice);
    stays(admin);
    open(admin).isRefused("tenant acme", 3, 3);
    stays(installation.tokens.operator());
  }

  @Test
  void allTogetherHaveNoMoreThanTheTotal() {
    start(new LogReads.Limits(2, MANY, MANY));
    stays(alice);
    open(alice).isRefused("tenants/acme/users/alice", 1, 1);
    stays(admin);
    open(installation.tokens.operator()).isRefused("the server", 2, 2);
  }

  private Reader open(String token) {
    ClientCall<ReadJobLogsRequest, ReadJobLogsResponse> call =
        installation
            .channel(token)
            .newCall(JobServiceGrpc.getReadJobLogsMethod(), CallOptions.DEFAULT);
    CompletableFuture<StatusRuntimeException> end = new CompletableFuture<>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status.asRuntimeException(trailers));
          }
        },
        new Metadata());
    call.sendMessage(
        ReadJobLogsRequest.newBuilder().setName(ACME + "/jobs/prints").setFollow(true).build());
    call.halfClose();
    call.request(1);
    return new Reader(call, end);
  }

  private Reader stays(String token) {
    long before = reads();
    Reader reader = open(token);
    assertThat(isOpen(reader, before + 1)).as("one more reader is admitted").isTrue();
    return reader;
  }

  /// Whether the agent is asked, so that all together are as many as expected; else it is refused.
  private boolean isOpen(Reader reader, long expected) {
    FakeAgent.awaitThat(() -> reader.end().isDone() || reads() == expected);
    return reads() == expected;
  }

  private long reads() {
    return agent.heard().stream().filter(ConnectResponse::hasReadLogs).count();
  }
}
