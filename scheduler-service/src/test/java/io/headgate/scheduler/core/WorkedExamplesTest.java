package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The worked examples of the rules.
class WorkedExamplesTest {
  private static TenantBuilder rndAndDevops() {
    return new TenantBuilder()
        .pool("onprem")
        .profile("three", "3", "onprem")
        .profile("two", "2", "onprem")
        .policy("rnd", "5", "9")
        .policy("devops", "5", "9")
        .queue("rnd-3", "rnd", "three", 1)
        .queue("devops-3", "devops", "three", 1)
        .queue("devops-2", "devops", "two", 1);
  }

  @Test
  void reclaimsReservationsJobByJob() {
    Driver it = new Driver(rndAndDevops()).join(Driver.node("a-0", "onprem", 10));

    it.submit("rnd-3", "r-0", "r-1", "r-2", "r-3", "r-4").settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("r-0", "r-1", "r-2");
    assertThat(it.used("rnd")).isEqualTo("9");
    assertThat(it.reason("r-3"))
        .isEqualTo(
            new Reason.Limit(
                TenantBuilder.policyId("rnd"),
                GpuQuantity.ofGpus(9),
                GpuQuantity.ofGpus(3),
                GpuQuantity.ofGpus(9)));

    it.forget().submit("devops-3", "d");
    assertThat(it.stopped()).containsExactly("r-2");
    assertThat(it.reason("d"))
        .isInstanceOfSatisfying(
            Reason.WaitingForVictims.class,
            reason -> assertThat(reason.victims()).containsExactly(it.attemptId("r-2")));
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("r-0", "r-1", "d");

    it.forget().submit("devops-2", "e");
    assertThat(it.stopped()).containsExactly("r-1");
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("r-0", "d", "e");
    assertThat(it.used("rnd")).isEqualTo("3");
    assertThat(it.used("devops")).isEqualTo("5");
    assertThat(it.usage(poolId("onprem")).idle()).hasToString("2");
    assertThat(it.in(JobState.WAITING)).containsExactly("r-1", "r-2", "r-3", "r-4");
    assertThat(it.core.position(it.id("r-1")).orElseThrow().number()).isEqualTo(1);
    assertThat(it.reason("r-1"))
        .isEqualTo(
            new Reason.Capacity(poolId("onprem"), GpuQuantity.ofGpus(3), GpuQuantity.ofGpus(2)));

    it.forget().pass().pass().pass().pass().pass();
    assertThat(it.effects).isEmpty();
  }

  /// In whichever order they submit.
  @ParameterizedTest
  @ValueSource(strings = {"one batch", "Dev first", "Research first"})
  void sharesTwoPoolsByRankAndRouting(String submission) {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("bare-metal")
            .pool("h100")
            .profile("four", "4", "bare-metal", "h100")
            .policy("dev", "8", "16")
            .policy("research", "8", "16")
            .queue("dev-4", "dev", "four", 1)
            .queue("research-4", "research", "four", 2);
    Driver it =
        new Driver(tenant).join(Driver.node("b-0", "bare-metal", 8), Driver.node("h-0", "h100", 8));
    String[] dev = {"d-0", "d-1", "d-2", "d-3"};
    String[] research = {"r-0", "r-1", "r-2", "r-3"};

    switch (submission) {
      case "one batch" ->
          it.submit(
              it.spec("r-0", "research-4"),
              it.spec("r-1", "research-4"),
              it.spec("r-2", "research-4"),
              it.spec("r-3", "research-4"),
              it.spec("d-0", "dev-4"),
              it.spec("d-1", "dev-4"),
              it.spec("d-2", "dev-4"),
              it.spec("d-3", "dev-4"));
      case "Dev first" -> it.submit("dev-4", dev).settle().submit("research-4", research);
      default -> it.submit("research-4", research).settle().submit("dev-4", dev);
    }
    it.settle();

    assertThat(it.in(JobState.RUNNING)).hasSize(4);
    assertThat(it.used("dev")).isEqualTo("8");
    assertThat(it.used("research")).isEqualTo("8");
    if (!submission.equals("Research first")) {
      assertThat(it.pool("d-0")).isEqualTo("bare-metal");
      assertThat(it.pool("d-1")).isEqualTo("bare-metal");
      assertThat(it.pool("r-0")).isEqualTo("h100");
      assertThat(it.pool("r-1")).isEqualTo("h100");
    }
    it.forget().pass().pass().pass().pass().pass();
    assertThat(it.effects).isEmpty();
  }
}
