package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Jobs of several workers: all or nothing, in one pool, on few nodes, and ended together.
class GangTest {
  private static TenantBuilder tenant(int workers) {
    return new TenantBuilder()
        .pool("pool")
        .pool("other")
        .profile("gang", "2", workers, 1000, "pool", "other")
        .profile("one", "1", "pool")
        .policy("team", "100", "100")
        .queue("g", "team", "gang", 1)
        .queue("o", "team", "one", 1);
  }

  @Test
  void startsAllWorkersOrNone() {
    Driver it =
        new Driver(tenant(3)).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 2));
    it.submit("g", "x");
    assertThat(it.state("x")).isEqualTo(JobState.WAITING);
    it.join(Driver.node("c", "other", 4));
    assertThat(it.state("x")).as("never over two pools").isEqualTo(JobState.WAITING);
    it.join(Driver.node("d", "pool", 2));
    assertThat(it.place("x")).isEqualTo("a:0,1 b:0,1 d:0,1");
  }

  @Test
  void usesAsFewNodesAsPossible() {
    Driver it =
        new Driver(tenant(5))
            .join(
                Driver.node("a", "pool", 2),
                Driver.node("b", "pool", 8),
                Driver.node("c", "pool", 4),
                Driver.node("d", "pool", 2));
    it.submit("g", "x");
    assertThat(it.place("x")).isEqualTo("b:0,1 b:2,3 b:4,5 b:6,7 a:0,1");
  }

  @Test
  void runsWhenAllWorkersRunAndIsDoneWhenAllAreDone() {
    Driver it = new Driver(tenant(2)).join(Driver.node("a", "pool", 4)).submit("g", "x");
    AttemptId id = it.attemptId("x");
    it.decide(new Input.WorkerStarted(id, 1, it.now));
    assertThat(it.state("x")).isEqualTo(JobState.ASSIGNED);
    it.decide(new Input.WorkerStarted(id, 0, it.now));
    assertThat(it.state("x")).isEqualTo(JobState.RUNNING);
    it.decide(new Input.WorkerExited(id, 0, 0));
    assertThat(it.state("x")).isEqualTo(JobState.RUNNING);
    it.decide(new Input.WorkerExited(id, 1, 0));
    assertThat(it.state("x")).isEqualTo(JobState.DONE);
  }

  @Test
  void stopsTheOthersWhenOneWorkerFails() {
    Driver it = new Driver(tenant(3)).join(Driver.node("a", "pool", 6)).submit("g", "x").run();
    AttemptId id = it.attemptId("x");
    it.forget().decide(new Input.WorkerExited(id, 1, 7));
    assertThat(it.effects(Effect.StopAttempt.class))
        .singleElement()
        .satisfies(stop -> {
          assertThat(stop.order().outcome()).isEqualTo(StopOutcome.FAIL);
          assertThat(stop.order().cause())
              .isEqualTo(new StopCause.WorkerEnded(1, new AttemptEnding.Exited(7)));
        });
    assertThat(it.used("team")).isEqualTo("6");
    it.decide(new Input.WorkerStopped(id, 0));
    assertThat(it.state("x")).isEqualTo(JobState.STOPPING);
    it.decide(new Input.WorkerExited(id, 2, 1));
    assertThat(it.state("x")).isEqualTo(JobState.FAILED);
    assertThat(it.effects(Effect.AttemptEnded.class).getLast().ending())
        .isEqualTo(new AttemptEnding.Exited(7));
    assertThat(it.used("team")).isEqualTo("0");
  }

  @Test
  void startsAnewWhenOneWorkerIsRejectedOrLost() {
    Driver it =
        new Driver(tenant(2)).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 2));
    it.submit("g", "x");
    AttemptId first = it.attemptId("x");
    it.decide(new Input.WorkerRejected(first, 1, "no")).decide(new Input.WorkerStopped(first, 0));
    assertThat(it.state("x")).isEqualTo(JobState.WAITING);
    it.after(Duration.ofSeconds(10)).pass().run();
    AttemptId second = it.attemptId("x");
    assertThat(it.place("x")).isEqualTo("a:0,1 b:0,1");
    it.join(Driver.node("b", "pool", 2, 9000, NodeStatus.SUSPECT))
        .decide(new Input.WorkerLost(second, 1));
    assertThat(it.state("x")).isEqualTo(JobState.STOPPING);
    it.decide(new Input.WorkerStopped(second, 0));
    assertThat(it.state("x")).isEqualTo(JobState.WAITING);
  }

  @Test
  void reclaimsNodesForAGang() {
    TenantBuilder tenant = tenant(2).policy("other", "0", "100").queue("free", "other", "one", 2);
    Driver it = new Driver(tenant).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 2));
    it.submit("free", "f0", "f1", "f2", "f3").run().forget().submit("g", "x");
    assertThat(it.stopped()).containsExactlyInAnyOrder("f0", "f1", "f2", "f3");
    it.settle();
    assertThat(it.place("x")).isEqualTo("a:0,1 b:0,1");
  }

  @Test
  void keepsItsPlaceWhileItStopsBecauseAWorkerWasLost() {
    Driver it =
        new Driver(tenant(2))
            .join(
                Driver.node("a", "pool", 2),
                Driver.node("b", "pool", 2),
                Driver.node("c", "pool", 2));
    it.submit("g", "first").run().submit("g", "second");
    AttemptId id = it.attemptId("first");
    it.decide(
        new Input.NodeChanged(Driver.node("a", "pool", 2).withStatus(NodeStatus.SUSPECT)),
        new Input.WorkerLost(id, 0));

    assertThat(it.state("first")).isEqualTo(JobState.STOPPING);
    assertThat(it.core.hold(it.id("second"))).as("what it needs is its own").isEmpty();

    it.decide(new Input.WorkerStopped(id, 1));
    assertThat(it.place("first")).isEqualTo("b:0,1 c:0,1");
    assertThat(it.state("second")).isEqualTo(JobState.WAITING);
  }

  /// A user with the grant exceeds the limit on idle capacity (A2). The policy's limit then has no
  /// room for the job that stops, so nothing is kept for it.
  @Test
  void keepsNoPlaceThatItsPolicysLimitDoesNotLeave() {
    TenantBuilder tenant =
        tenant(2)
            .policy("team", "0", "4")
            .changePolicy("team", p -> p.with().exceedLimit(Set.of(new UserId("eve"))).build())
            .queue("small", "team", "one", 1);
    Driver it = new Driver(tenant).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 2));
    it.submit("g", "first").run().join(Driver.node("c", "pool", 2), Driver.node("d", "pool", 1));
    it.decide(
        new Input.NodeChanged(Driver.node("a", "pool", 2).withStatus(NodeStatus.SUSPECT)),
        new Input.WorkerLost(it.attemptId("first"), 0),
        new Input.JobSubmitted(it.spec("above", "small", "eve", 0, Optional.empty())));

    assertThat(it.place("above")).isEqualTo("d:0");
    assertThat(it.core.state().returning()).isEmpty();
  }

  /// `big` waits for room below the pool's ceiling, so what it holds takes nothing from the place.
  @Test
  void keepsItsPlaceBeforeAJobThatHoldsBelowTheCeiling() {
    TenantBuilder tenant =
        tenant(2)
            .poolCapacity("pool", "6")
            .profile("two", "2", "pool")
            .policy("other", "0", "100")
            .queue("pair", "other", "two", 2);
    Driver it = new Driver(tenant).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 2));
    it.submit("g", "first").run().join(Driver.node("c", "pool", 2));
    it.submit(it.timed("x", "pair", Duration.ofHours(1))).run().join(Driver.node("d", "pool", 2));
    it.submit("pair", "big").after(Duration.ofMinutes(10)).pass();
    it.decide(
        new Input.NodeChanged(Driver.node("a", "pool", 2).withStatus(NodeStatus.SUSPECT)),
        new Input.WorkerLost(it.attemptId("first"), 0));

    assertThat(it.reason("big").code()).isEqualTo("HOLDING");
    List<Hold> kept = it.core.state().returning();
    assertThat(kept).extracting(Hold::job).containsExactly(it.id("first"));
    it.after(Duration.ofSeconds(1)).pass();
    assertThat(it.core.state().returning()).isEqualTo(kept);
  }
}
