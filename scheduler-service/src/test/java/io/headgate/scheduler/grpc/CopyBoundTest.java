package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanConfigurationResponse;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc.PlanServiceBlockingStub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CopyBoundTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final CopyBound PLANS = new CopyBound(new CopyBound.Limits(8, 3, 2, PATIENCE));
  private static final CountDownLatch MAY_ANSWER = new CountDownLatch(1);

  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> api.service(new SlowPlans()));

  private final CopyBound bound = new CopyBound(CopyBound.Limits.ofPatience(Duration.ofMillis(1)));

  @Test
  void answersOneAfterTheOther() {
    assertThat(bound.answer(() -> 1)).isEqualTo(1);
    assertThat(bound.answer(() -> 2, () -> 3)).isEqualTo(2);
  }

  @Test
  void answersOtherwiseWhileAnotherIsAnswered() {
    assertThat(bound.<Integer>answer(() -> bound.answer(() -> 2, () -> 3))).isEqualTo(3);
    assertThatThrownBy(() -> bound.answer(() -> bound.answer(() -> 2)))
        .hasMessageContaining("PLAN_BUSY");
  }

  @Test
  void refusesMoreQuestionsThanACallerMayHaveWithoutWaiting() {
    CopyBound two = new CopyBound(new CopyBound.Limits(8, 8, 2, Duration.ofMillis(1)));
    assertThatThrownBy(() -> two.answer(() -> two.answer(() -> 2)))
        .hasMessageContaining("2 such questions are in progress");
    assertThatThrownBy(() ->
            two.answer(() -> two.answer(() -> 1, () -> two.answer(() -> two.answer(() -> 2)))))
        .hasMessageContaining("may have 2 now");
  }

  /// Ada has as many as one caller may, and Eve the rest of their tenant's. Another tenant asks on.
  @Test
  void refusesMoreQuestionsThanATenantMayHaveWhicheverCallerAsks() throws Exception {
    List<Future<Integer>> answers = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      String[] asked = {"ada", "ada", "eve"};
      for (int i = 0; i < asked.length; i++) {
        answers.add(callers.submit(question("acme", asked[i])));
        int count = i + 1;
        await().atMost(PATIENCE).until(() -> PLANS.inProgress() == count);
      }
      assertThatThrownBy(question("acme", "eve")::call)
          .hasMessageContaining("tenant acme has 3 such questions in progress and may have 3 now");
      answers.add(callers.submit(question("globex", "bob")));
      await().atMost(PATIENCE).until(() -> PLANS.inProgress() == 4);
      MAY_ANSWER.countDown();
      for (Future<Integer> answer : answers) {
        assertThat(answer.get()).isZero();
      }
    }
    assertThat(PLANS.inProgress()).isZero();
  }

  private static Callable<Integer> question(String tenant, String user) {
    String token =
        SERVER
            .tokens()
            .token(
                Principal.ofTenant(
                    "tenants/%s/users/%s".formatted(tenant, user),
                    Role.TENANT_ADMIN,
                    tenant,
                    List.of()));
    PlanServiceBlockingStub plans = PlanServiceGrpc.newBlockingStub(SERVER.channel(token));
    PlanConfigurationRequest request =
        PlanConfigurationRequest.newBuilder().setParent("tenants/" + tenant).build();
    return () -> plans.planConfiguration(request).getSerializedSize();
  }

  /// Answers each caller of the server in its turn, once it may.
  private static final class SlowPlans extends PlanServiceGrpc.PlanServiceImplBase {
    @Override
    public void planConfiguration(
        PlanConfigurationRequest request, StreamObserver<PlanConfigurationResponse> out) {
      out.onNext(
          PLANS.answer(() -> {
            try {
              MAY_ANSWER.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return PlanConfigurationResponse.getDefaultInstance();
          }));
      out.onCompleted();
    }
  }

  @Test
  void answersAgainAfterOneThatFailed() {
    assertThatThrownBy(() -> bound.answer(() -> Integer.parseInt("x")))
        .isInstanceOf(NumberFormatException.class);
    assertThat(bound.answer(() -> 1)).isEqualTo(1);
  }
}
