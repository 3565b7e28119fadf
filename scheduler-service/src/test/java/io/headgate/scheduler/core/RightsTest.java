package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.policyId;
import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static io.headgate.scheduler.core.TenantBuilder.profileId;
import static io.headgate.scheduler.core.TenantBuilder.queueId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Dimension;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Rule A1, A2, A4, A5, A8, and what is refused at once.
class RightsTest {
  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("team", "2", "4")
        .queue("q", "team", "one", 1);
  }

  private static Driver on(TenantBuilder tenant) {
    return new Driver(tenant).join(Driver.node("n", "pool", 8));
  }

  @Test
  void keepsJobsOfAClosedQueueWaiting() {
    Driver it = on(tenant().closed("q")).submit("q", "a");
    assertThat(it.reason("a")).isEqualTo(new Reason.QueueClosed(queueId("q")));
    it.provision(tenant());
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void neverExceedsTheLimitHoweverIdleThePoolIs() {
    Driver it = on(tenant()).submit("q", "a", "b", "c", "d", "e");
    assertThat(it.in(JobState.ASSIGNED)).hasSize(4);
    assertThat(it.reason("e"))
        .isEqualTo(new Reason.Limit(policyId("team"), gpus("4"), gpus("1"), gpus("4")));
  }

  @Test
  void countsWhatStillStopsAgainstTheLimit() {
    Driver it = on(tenant()).submit("q", "a", "b", "c", "d", "e").run().cancel("a");
    assertThat(it.state("e")).isEqualTo(JobState.WAITING);
    it.stopAll();
    assertThat(it.state("e")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void killsNothingWhenTheLimitShrinksBelowUse() {
    Driver it = on(tenant()).submit("q", "a", "b", "c", "d", "e").run().forget();
    it.provision(tenant().policy("team", "2", "2"));
    assertThat(it.stopped()).isEmpty();
    it.exit("a", 0).exit("b", 0);
    assertThat(it.state("e")).isEqualTo(JobState.WAITING);
    it.exit("c", 0);
    assertThat(it.state("e")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void limitsEachUserWithoutHoldingUpOthers() {
    Driver it = on(tenant().perUser("team", "1"));
    it.submit(
        it.spec("a1", "q", "alice", 0, Optional.empty()),
        it.spec("a2", "q", "alice", 0, Optional.empty()),
        it.spec("b1", "q", "bob", 0, Optional.empty()));
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a1", "b1");
    assertThat(it.reason("a2"))
        .isEqualTo(
            new Reason.UserLimit(
                policyId("team"), new UserId("alice"), gpus("1"), gpus("1"), gpus("1")));
    assertThat(it.core.position(it.id("a2")).orElseThrow().number()).isEqualTo(1);
  }

  @Test
  void startsOnlyEntitledJobsWhereOverReservationIsDenied() {
    Driver it = on(tenant().entitledOnly("q")).submit("q", "a", "b", "c");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a", "b");
    assertThat(it.reason("c"))
        .isEqualTo(
            new Reason.OverReservationDenied(policyId("team"), gpus("2"), gpus("1"), gpus("2")));
  }

  @Test
  void keepsNonPreemptibleJobsInsideTheReservation() {
    Driver it = on(tenant());
    it.submit(
        it.spec("a", "q", "u", 0, Optional.of(false)),
        it.spec("b", "q", "u", 0, Optional.of(false)),
        it.spec("c", "q", "u", 0, Optional.of(false)),
        it.spec("d", "q", "u", 0, Optional.empty()));
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a", "b", "d");
    assertThat(it.reason("c"))
        .isEqualTo(new Reason.NonPreemptible(policyId("team"), gpus("2"), gpus("1"), gpus("2")));
  }

  @Test
  void takesThePoliciesWordForJobsThatSayNothing() {
    Driver it = on(tenant().nonPreemptible("team")).submit("q", "a", "b", "c");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a", "b");
    it.provision(tenant());
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a", "b", "c");
  }

  @Test
  void refusesWhatCanNeverStart() {
    Driver it =
        on(
            tenant()
                .profile("five", "5", "pool")
                .profile("lost", "1", "nowhere")
                .profile("huge", "16", "pool")
                .profile("cpu", "0", 1, 2_000_000, "pool")
                .policy("big", "2", "100")
                .queue("five", "team", "five", 1)
                .queue("lost", "team", "lost", 1)
                .queue("huge", "big", "huge", 1)
                .queue("cpu", "big", "cpu", 1)
                .queue("strict", "big", "five", 2)
                .entitledOnly("strict")
                .queue("noprofile", "team", "gone", 1)
                .queue("nopolicy", "gone", "one", 1));

    it.submit("unknown", "u");
    assertThat(it.denial()).isEqualTo(new Denial.UnknownQueue(queueId("unknown")));
    it.submit("five", "f");
    assertThat(it.denial())
        .isEqualTo(new Denial.AboveLimit(policyId("team"), gpus("5"), gpus("4")));
    it.submit("lost", "l");
    assertThat(it.denial()).isEqualTo(new Denial.NoPool(profileId("lost"), policyId("team")));
    it.submit("huge", "h");
    assertThat(it.denial())
        .isEqualTo(
            new Denial.NoNodeFits(
                profileId("huge"), poolId("pool"), Dimension.GPU, 16 * 126_000L, 8 * 126_000L));
    it.submit("cpu", "c");
    assertThat(it.denial())
        .isEqualTo(
            new Denial.NoNodeFits(
                profileId("cpu"), poolId("pool"), Dimension.CPU, 2_000_000, 1_000_000));
    it.submit("strict", "s");
    assertThat(it.denial())
        .isEqualTo(new Denial.AboveReservation(policyId("big"), gpus("5"), gpus("2")));
    it.submit("noprofile", "p");
    assertThat(it.denial())
        .isEqualTo(new Denial.UnknownProfile(queueId("noprofile"), profileId("gone")));
    it.submit("nopolicy", "q");
    assertThat(it.denial())
        .isEqualTo(new Denial.UnknownPolicy(queueId("nopolicy"), policyId("gone")));
    it.submit(it.spec("n", "q", "u", 0, Optional.of(false)));
    assertThat(it.refusals).hasSize(8);
    it.submit(it.spec("n", "q", "u", 0, Optional.empty()));
    assertThat(it.denial()).isInstanceOf(Denial.DuplicateJob.class);
  }

  @Test
  void refusesNonPreemptibleJobsAboveTheReservation() {
    Driver it = on(tenant().profile("three", "3", "pool").queue("t", "team", "three", 1));
    it.submit(it.spec("a", "t", "u", 0, Optional.of(false)));
    assertThat(it.denial())
        .isEqualTo(
            new Denial.NonPreemptibleAboveReservation(policyId("team"), gpus("3"), gpus("2")));
    it.provision(
        tenant().perUser("team", "2").profile("three", "3", "pool").queue("t", "team", "three", 1));
    it.submit("t", "b");
    assertThat(it.denial())
        .isEqualTo(
            new Denial.AboveUserLimit(policyId("team"), new UserId("alice"), gpus("3"), gpus("2")));
  }

  @Test
  void refusesWhatThePoolsCeilingForbids() {
    Driver it = on(tenant().poolCapacity("pool", "1/2"));
    it.submit("q", "a");
    assertThat(it.denial())
        .isEqualTo(new Denial.AbovePoolCapacity(poolId("pool"), gpus("1"), gpus("1/2")));
  }

  @Test
  void acceptsJobsOfAPoolThatHasNoNodesYet() {
    Driver it = new Driver(tenant()).submit("q", "a");
    assertThat(it.refusals).isEmpty();
    assertThat(it.reason("a")).isEqualTo(new Reason.Capacity(poolId("pool"), gpus("1"), gpus("0")));
  }

  @Test
  void tellsWaitingJobsWhenTheyCanNoLongerStart() {
    Driver it = on(tenant()).submit("q", "a", "b", "c", "d", "e").forget();
    it.provision(tenant().withoutProfile("one"));
    assertThat(it.reason("e"))
        .isEqualTo(new Reason.NeverFits(new Denial.UnknownProfile(queueId("q"), profileId("one"))));
    assertThat(it.effects(Effect.LaneReasonChanged.class)).hasSize(1);
    it.provision(tenant());
    assertThat(it.reason("e").code()).isEqualTo("LIMIT");
  }

  @Test
  void turnsWaitingJobsOfARemovedQueueIntoDrafts() {
    Driver it = on(tenant()).submit("q", "a", "b", "c", "d", "e", "f").run();
    it.provision(tenant().withoutQueue("q"));
    assertThat(it.in(JobState.DRAFT)).containsExactly("e", "f");
    assertThat(it.in(JobState.RUNNING)).hasSize(4);
    it.submit("q", "g");
    assertThat(it.denial()).isEqualTo(new Denial.UnknownQueue(queueId("q")));
    it.exit("a", 0).exit("b", 0).provision(tenant()).requeue("f").requeue("e");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("e", "f");
  }
}
