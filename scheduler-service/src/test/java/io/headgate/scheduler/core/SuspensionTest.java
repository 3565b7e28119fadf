package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.runtime.text.CheckText;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Victims that are kept in their machine's main memory.
class SuspensionTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /// Two GPUs are the owner's; a guest uses what is left. Each job has half of the node's
  /// processors.
  private static Driver machine(long cpuMillis) {
    return new Driver(
            new TenantBuilder()
                .pool("pool")
                .profile("one", "1", 1, 4000, "pool")
                .profile("half", "1/2", 1, 4000, "pool")
                .policy("owner", "2", "8")
                .policy("guest", "0", "8")
                .queue("o", "owner", "one", 1)
                .queue("g", "guest", "one", 2)
                .queue("parts", "guest", "half", 3))
        .join(Driver.node("n", "pool", 1, cpuMillis, NodeStatus.READY));
  }

  private static StopOutcome outcome(Driver it, String name) {
    return it.attempt(name).stop().orElseThrow().outcome();
  }

  private static Driver suspended() {
    Driver it = machine(8000);
    it.submit(it.keeping("low", "g")).run().submit("o", "high");
    return it.suspended("low").run();
  }

  @Test
  void givesTheGpuToTheWinnerAndGoesOnWithTheSameAttempt() {
    Driver it = machine(8000);
    it.submit(it.keeping("low", "g")).run().submit("o", "high");
    assertThat(outcome(it, "low")).isEqualTo(StopOutcome.SUSPEND);
    assertThat(it.state("high")).isEqualTo(JobState.WAITING);

    it.suspended("low").run();
    assertThat(it.state("low")).isEqualTo(JobState.SUSPENDED);
    assertThat(it.state("high")).isEqualTo(JobState.RUNNING);
    assertThat(it.used("guest")).isEqualTo("0");
    assertThat(it.reason("low"))
        .isEqualTo(
            new Reason.Suspended(
                it.attempt("low").assignment().workers().getFirst().node(),
                List.of(0),
                it.now.plus(HOUR)));
    assertThat(it.wakeAt).contains(it.now.plus(HOUR));

    it.after(Duration.ofMinutes(5)).forget().exit("high", 0);
    assertThat(it.effects(Effect.ResumeAttempt.class))
        .singleElement()
        .satisfies(resumed -> assertThat(resumed.attempt().id().number()).isEqualTo(1));
    assertThat(it.effects(Effect.StartAttempt.class)).isEmpty();
    assertThat(it.used("guest")).isEqualTo("1");
    it.decide(new Input.WorkerStarted(it.attemptId("low"), 0, it.now));
    assertThat(it.state("low")).isEqualTo(JobState.RUNNING);
    assertThat(it.attempt("low").startedAt())
        .as("it started when it did so first")
        .contains(it.now.minus(Duration.ofMinutes(5)));
  }

  @Test
  void keepsMainMemoryAndProcessorsOfItsNode() {
    Driver it = suspended();
    assertThat(it.core.nodes().getFirst().cpuMillisUsed()).isEqualTo(8000);
    it.exit("high", 0).run();
    assertThat(it.core.nodes().getFirst().cpuMillisUsed()).isEqualTo(4000);
  }

  @Test
  void isStoppedWhereTheWinnerNeedsWhatItWouldKeep() {
    Driver it = machine(7999);
    it.submit(it.keeping("low", "g")).run().submit("o", "high");
    assertThat(outcome(it, "low")).isEqualTo(StopOutcome.REQUEUE);
  }

  @Test
  void isStoppedWhereItDidNotAskOrHasAPartOfAGpu() {
    Driver it = machine(8000);
    it.submit("g", "low").run().submit("o", "high");
    assertThat(outcome(it, "low")).isEqualTo(StopOutcome.REQUEUE);
    Driver parts = machine(8000);
    parts.submit(parts.keeping("low", "parts")).run().submit("o", "high");
    assertThat(outcome(parts, "low")).isEqualTo(StopOutcome.REQUEUE);
  }

  @Test
  void waitsInItsTurn() {
    Driver it = suspended().submit("o", "next");
    assertThat(it.state("next")).as("the owner has its reservation").isEqualTo(JobState.WAITING);
    it.submit("g", "later").exit("high", 0);
    assertThat(it.state("next")).as("better-ranked").isEqualTo(JobState.ASSIGNED);
    it.run().exit("next", 0);
    assertThat(it.state("low")).as("submitted first").isEqualTo(JobState.ASSIGNED);
    assertThat(it.state("later")).isEqualTo(JobState.WAITING);
  }

  @Test
  void goesNowhereElse() {
    Driver it = suspended().join(Driver.node("m", "pool", 1, 8000, NodeStatus.READY));
    assertThat(it.state("low")).isEqualTo(JobState.SUSPENDED);
  }

  /// A node with two GPUs and three shares of the processors. `high` has one of each, and `low`
  /// keeps a share. The rest is idle, but too little for a job of two shares.
  private static Driver crowded() {
    Driver it =
        new Driver(
                new TenantBuilder()
                    .pool("pool")
                    .profile("one", "1", 1, 4000, "pool")
                    .profile("large", "1", 1, 8000, "pool")
                    .policy("owner", "2", "8")
                    .policy("guest", "0", "8")
                    .queue("o", "owner", "one", 1)
                    .queue("large", "owner", "large", 1)
                    .queue("g", "guest", "one", 2)
                    .queue("guests", "guest", "large", 2))
            .join(Driver.node("n", "pool", 2, 12000, NodeStatus.READY));
    it.submit("g", "other").run().submit(it.keeping("low", "g")).run().submit("o", "high");
    return it.suspended("low").run().exit("other", 0);
  }

  @Test
  void givesWhatItKeepsToAnEntitledJobThatHasNoOtherRoom() {
    Driver it = crowded();
    assertThat(it.core.explain(it.id("low")).orElseThrow().exposure())
        .extracting(check -> CheckText.of(check, Viewer.OF_ALL))
        .containsExactly(
            "may be stopped, before what runs, for an entitled job that finds no other room; one"
                + " of its own policy only if it is ahead of this");
    it.forget().submit("large", "next");
    assertThat(outcome(it, "low")).isEqualTo(StopOutcome.REQUEUE);
    assertThat(it.attempt("low").stop().orElseThrow().cause())
        .isInstanceOfSatisfying(
            StopCause.Preempted.class, cause -> assertThat(cause.by()).isEqualTo(it.id("next")));
    assertThat(it.reason("next")).isInstanceOf(Reason.WaitingForVictims.class);
    it.stopAll();
    assertThat(it.state("next")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.state("low")).isEqualTo(JobState.WAITING);
  }

  /// As [#crowded], and entitled to one GPU; one share more is what a job of its queue lacks.
  private static Driver entitled() {
    Driver it =
        new Driver(twoOfTheGuest()).join(Driver.node("n", "pool", 2, 10000, NodeStatus.READY));
    it.submit("halves", "other").run().submit(it.keeping("low", "g")).run().submit("o", "high");
    return it.suspended("low").run().exit("other", 0);
  }

  private static TenantBuilder twoOfTheGuest() {
    return new TenantBuilder()
        .pool("pool")
        .profile("half", "1", 1, 2000, "pool")
        .profile("one", "1", 1, 4000, "pool")
        .policy("owner", "2", "8")
        .policy("guest", "1", "8")
        .queue("o", "owner", "one", 1)
        .queue("halves", "guest", "half", 2)
        .queue("g", "guest", "one", 2);
  }

  @Test
  void givesNothingInAPoolThatIsDedicatedMeanwhile() {
    Driver it = entitled().provision(twoOfTheGuest().dedicated("pool", "guest"));
    it.submit(it.prior("urgent", "g", 5));
    assertThat(it.state("low")).isEqualTo(JobState.SUSPENDED);
    assertThat(it.state("urgent")).isEqualTo(JobState.WAITING);
    assertThat(it.core.explain(it.id("low")).orElseThrow().exposure()).isEmpty();
  }

  @Test
  void givesWhatItKeepsToNoneOfItsPolicyThatIsBehindIt() {
    Driver it = entitled().submit("g", "later");
    assertThat(it.state("low")).isEqualTo(JobState.SUSPENDED);
    assertThat(it.state("later")).isEqualTo(JobState.WAITING);
    it.submit(it.prior("urgent", "g", 5));
    assertThat(it.attempt("low").stop().orElseThrow().cause())
        .isInstanceOfSatisfying(
            StopCause.Preempted.class, cause -> assertThat(cause.by()).isEqualTo(it.id("urgent")));
  }

  @Test
  void givesNothingToAJobThatIsNotEntitled() {
    Driver it = crowded().submit("guests", "next");
    assertThat(it.state("low")).isEqualTo(JobState.SUSPENDED);
    assertThat(it.state("next")).isEqualTo(JobState.WAITING);
  }

  @Test
  void isStoppedWhenItsTimeIsOver() {
    Driver it = suspended().forget().after(HOUR).pass();
    assertThat(it.effects(Effect.StopAttempt.class))
        .singleElement()
        .satisfies(stop -> {
          assertThat(stop.order().cause()).isEqualTo(new StopCause.SuspensionOver());
          assertThat(stop.order().outcome()).isEqualTo(StopOutcome.REQUEUE);
        });
    it.stopAll();
    assertThat(it.state("low")).isEqualTo(JobState.WAITING);
    it.exit("high", 0);
    assertThat(it.attempt("low").id().number()).isEqualTo(2);
  }

  @Test
  void isStoppedWhenItsNodeIsDrained() {
    Driver it = suspended();
    it.join(Driver.node("n", "pool", 1, 8000, NodeStatus.DRAINING));
    assertThat(it.state("low")).isEqualTo(JobState.STOPPING);
  }

  @Test
  void isStoppedWhenItsNodeComesBackWithoutItsGpu() {
    Driver it = suspended();
    it.join(Driver.node("n", "pool", 1, 8000, NodeStatus.SUSPECT)).exit("high", 0);
    assertThat(it.state("low")).isEqualTo(JobState.SUSPENDED);
    it.join(Driver.node("n", "pool", 0, 8000, NodeStatus.READY));
    assertThat(outcome(it, "low")).isEqualTo(StopOutcome.REQUEUE);
  }

  @Test
  void waitsForANodeThatIsOnlySilent() {
    Driver it = suspended();
    it.join(Driver.node("n", "pool", 1, 8000, NodeStatus.SUSPECT)).exit("high", 0);
    assertThat(it.state("low")).isEqualTo(JobState.SUSPENDED);
    it.join(Driver.node("n", "pool", 1, 8000, NodeStatus.READY));
    assertThat(it.state("low")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void isCancelledWhereItIs() {
    Driver it = suspended().cancel("low").stopAll();
    assertThat(it.state("low")).isEqualTo(JobState.CANCELLED);
    assertThat(it.core.nodes().getFirst().cpuMillisUsed()).isEqualTo(4000);
  }

  @Test
  void whatWasOrderedOtherwiseMeanwhileIsNotSuspended() {
    Driver it = machine(8000);
    it.submit(it.keeping("low", "g")).run().submit("o", "high").cancel("low");
    it.suspended("low");
    assertThat(it.state("low")).isEqualTo(JobState.STOPPING);
    assertThat(it.state("high")).isEqualTo(JobState.WAITING);
  }

  @Test
  void isFoundAgainByTheNextLeader() {
    Driver it = suspended();
    SchedulerState state = it.core.state();
    it.core = SchedulerCore.load(state);
    assertThat(it.core.state()).isEqualTo(state);
    it.exit("high", 0);
    assertThat(it.state("low")).isEqualTo(JobState.ASSIGNED);
    Attempt resumed = it.attempt("low");
    assertThat(SchedulerCore.load(it.core.state()).attempt(it.id("low"))).contains(resumed);
  }
}
