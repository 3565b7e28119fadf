package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.policyId;
import static io.headgate.scheduler.core.TenantBuilder.profileId;
import static io.headgate.scheduler.core.TenantBuilder.queueId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Submissions that are impossible when they come, and possible after the rest of their batch.
class ImpossibleJobTest {
  /// A policy of one GPU; its queue's profile is not provisioned.
  private static TenantBuilder without() {
    return tenant().withoutProfile("one");
  }

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("team", "1", "1")
        .queue("q", "team", "one", 1);
  }

  private static Driver start() {
    return new Driver(without()).join(Driver.node("n", "pool", 8));
  }

  private static Input provisioned(TenantBuilder tenant) {
    return new Input.CatalogChanged(tenant.build());
  }

  private static Input submitted(Driver it, String job) {
    return new Input.JobSubmitted(it.spec(job, "q"));
  }

  private static Denial unknownProfile() {
    return new Denial.UnknownProfile(queueId("q"), profileId("one"));
  }

  @Test
  void aChangeThatFollowsInTheBatchMakesTheJobPossible() {
    Driver it = start();
    it.decide(submitted(it, "a"), provisioned(tenant()));
    assertThat(it.refusals).isEmpty();
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void soDoesAMachineThatJoinsInTheBatch() {
    Driver it =
        new Driver(tenant().profile("one", "1", 1, 2_000_000, "pool"))
            .join(Driver.node("n", "pool", 8));
    it.submit("q", "a");
    assertThat(it.denial()).isInstanceOf(Denial.NoNodeFits.class);
    it.forget()
        .decide(
            submitted(it, "b"),
            new Input.NodeChanged(Driver.node("m", "pool", 8, 4_000_000, NodeStatus.READY)));
    assertThat(it.refusals).isEmpty();
    assertThat(it.state("b")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void theJobKeepsItsPlaceBeforeLaterOnes() {
    Driver it = start();
    it.decide(submitted(it, "a"), provisioned(tenant()), submitted(it, "b"));
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a");
    assertThat(it.in(JobState.WAITING)).containsExactly("b");
  }

  @Test
  void aJobThatStaysImpossibleIsRefused() {
    Driver it = start();
    it.decide(
        submitted(it, "a"), submitted(it, "b"), provisioned(without().policy("other", "1", "1")));
    assertThat(it.refusals)
        .containsExactly(
            new Decision.Refusal(0, it.id("a"), unknownProfile()),
            new Decision.Refusal(1, it.id("b"), unknownProfile()));
    assertThat(it.core.job(it.id("a"))).isEmpty();
  }

  @Test
  void theRefusalNamesWhatIsInTheWayAfterTheBatch() {
    Driver it = start();
    it.decide(submitted(it, "a"), provisioned(tenant().policy("team", "0", "1/2")));
    assertThat(it.denial())
        .isEqualTo(
            new Denial.AboveLimit(policyId("team"), GpuQuantity.ONE, GpuQuantity.parse("1/2")));
  }

  @Test
  void aCancellationInTheBatchFindsTheJob() {
    Driver it = start();
    it.decide(
        submitted(it, "a"),
        new Input.JobCancelled(asSubmitted(it, "a")),
        provisioned(tenant()),
        submitted(it, "b"));
    assertThat(it.refusals).isEmpty();
    assertThat(it.effects(Effect.JobChanged.class))
        .filteredOn(changed -> changed.job().id().equals(it.id("a")))
        .extracting(Effect.JobChanged::event)
        .containsExactly(JobEvent.SUBMIT, JobEvent.CANCEL);
    assertThat(it.state("b")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aCancellationOfARefusedJobIsRefusedToo() {
    Driver it = start();
    it.decide(submitted(it, "a"), new Input.JobCancelled(asSubmitted(it, "a")));
    assertThat(it.refusals)
        .containsExactly(
            new Decision.Refusal(0, it.id("a"), unknownProfile()),
            new Decision.Refusal(
                1,
                it.id("a"),
                new Denial.WrongState(it.id("a"), JobState.WAITING, JobEvent.CANCEL)));
  }

  @Test
  void aSecondSubmissionOfTheJobIsADuplicate() {
    Driver it = start();
    it.decide(submitted(it, "a"), submitted(it, "a"), provisioned(tenant()));
    assertThat(it.refusals)
        .containsExactly(new Decision.Refusal(1, it.id("a"), new Denial.DuplicateJob(it.id("a"))));
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aDraftIsQueuedAgainByTheChangeThatMakesItPossible() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 8));
    it.submit("q", "a", "b").provision(tenant().withoutQueue("q"));
    assertThat(it.state("b")).isEqualTo(JobState.DRAFT);
    Job draft = it.record("b");
    it.exit("a", 0).forget().decide(new Input.JobRequeued(draft), provisioned(tenant()));
    assertThat(it.refusals).isEmpty();
    assertThat(it.state("b")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void refusalsComeInTheOrderOfTheirInputs() {
    Driver it = start();
    it.decide(submitted(it, "a"), new Input.JobCancelled(asSubmitted(it, "b")), submitted(it, "c"));
    assertThat(it.refusals).extracting(Decision.Refusal::input).containsExactly(0, 1, 2);
  }

  private static Job asSubmitted(Driver it, String job) {
    return new Job(
        it.spec(job, "q"),
        JobState.WAITING,
        0,
        it.now,
        it.now,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Gate.OPEN);
  }
}
