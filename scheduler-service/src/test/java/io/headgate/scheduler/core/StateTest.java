package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.policyId;
import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static io.headgate.scheduler.core.TenantBuilder.queueId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.usage.NodeUsage;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The state that the core exports and loads again, and the usage that it reports.
class StateTest {
  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  /// Two run, one of them stops for a third that holds; others wait.
  private static Driver busy() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .profile("two", "2", "pool")
            .policy("owner", "2", "4")
            .policy("guest", "0", "8")
            .queue("o", "owner", "two", 1)
            .queue("g", "guest", "two", 2);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 5));
    return it.submit("g", "g0", "g1", "g2").run().submit("o", "o0", "o1");
  }

  @Test
  void goesOnElsewhere() {
    Driver it = busy();
    SchedulerState state = it.core.state();
    it.core = SchedulerCore.load(state);
    assertThat(it.core.state()).isEqualTo(state);
    it.forget().pass();
    assertThat(it.effects).isEmpty();
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("g0", "o0");
    assertThat(it.in(JobState.WAITING)).containsExactly("g1", "g2", "o1");
  }

  @Test
  void startsNothingOnNodesThatHaveNotReported() {
    Driver it = busy();
    SchedulerState state = it.core.state();
    List<Node> suspect = new ArrayList<>();
    state.nodes().forEach(node -> suspect.add(node.withStatus(NodeStatus.SUSPECT)));
    it.core =
        SchedulerCore.load(
            SchedulerState.kept(
                state.catalogs(), suspect, state.jobs(), state.attempts(), state.holds()));
    it.forget().pass().stopAll();
    assertThat(it.effects(Effect.StartAttempt.class)).isEmpty();
    it.join(Driver.node("n", "pool", 5));
    assertThat(it.state("o0")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void keepsSubmissionOrderWithoutTheShellsHelp() {
    Driver it = busy();
    SchedulerState state = it.core.state();
    it.core =
        SchedulerCore.load(
            SchedulerState.kept(
                state.catalogs(), state.nodes(), state.jobs(), state.attempts(), state.holds()));
    it.submit("g", "g3");
    assertThat(it.core.waiting(queueId("g"), 9)).containsExactly(it.id("g2"), it.id("g3"));
  }

  @Test
  void refusesAStateInWhichTwoHaveOneSlice() {
    Driver it = busy();
    SchedulerState state = it.core.state();
    Attempt first = it.attempt("g0");
    Job twin =
        Job.submitted(
            new JobSpec(
                new JobId(99),
                queueId("g"),
                it.record("g0").spec().user(),
                0,
                Optional.empty(),
                Optional.empty()),
            JobState.RUNNING,
            99,
            it.now,
            1);
    Attempt copy =
        new Attempt(
            new AttemptId(twin.id(), 1),
            first.policy(),
            first.profile(),
            first.assignment(),
            true,
            100,
            it.now,
            Optional.empty(),
            Optional.empty(),
            first.workers(),
            Optional.empty());
    List<Job> jobs = new ArrayList<>(state.jobs());
    jobs.add(twin);
    List<Attempt> attempts = new ArrayList<>(state.attempts());
    attempts.add(copy);
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            SchedulerCore.load(
                SchedulerState.kept(
                    state.catalogs(), state.nodes(), jobs, attempts, state.holds())))
        .withMessageContaining("another owner");
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            SchedulerCore.load(
                SchedulerState.kept(state.catalogs(), state.nodes(), jobs, List.of(), List.of())))
        .withMessageContaining("without attempt");
  }

  @Test
  void aCopyIsIndependent() {
    Driver it = busy();
    SchedulerCore copy = it.core.copy();
    SchedulerState before = it.core.state();
    copy.decide(List.of(new Input.WorkerStopped(it.attemptId("g1"), 0)), it.now);
    assertThat(it.core.state()).isEqualTo(before);
    assertThat(copy.state()).isNotEqualTo(before);
  }

  @Test
  void adoptsAttemptsOfNodesThatItDoesNotKnow() {
    Driver it = busy();
    SchedulerState state = it.core.state();
    it.core =
        SchedulerCore.load(
            SchedulerState.kept(
                state.catalogs(), List.of(), state.jobs(), state.attempts(), List.of()));
    assertThat(it.used("guest")).isEqualTo("4");
    it.pass().join(Driver.node("n", "pool", 5));
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("g0", "o0");
  }

  @Test
  void saysWhatIsUsed() {
    Driver it = busy();
    assertThat(it.core.policies())
        .containsExactly(
            new PolicyUsage(
                policyId("guest"),
                gpus("0"),
                gpus("8"),
                gpus("4"),
                gpus("2"),
                gpus("0"),
                gpus("0"),
                gpus("4"),
                2,
                1),
            new PolicyUsage(
                policyId("owner"),
                gpus("2"),
                gpus("4"),
                gpus("0"),
                gpus("0"),
                gpus("2"),
                gpus("0"),
                gpus("0"),
                0,
                2));
    assertThat(it.core.pools())
        .containsExactly(
            new PoolUsage(
                poolId("pool"), gpus("5"), gpus("5"), gpus("4"), gpus("0"), gpus("1"), 1, 1, 2));
    assertThat(it.core.queue(queueId("o")).orElseThrow().headReason().orElseThrow().code())
        .isEqualTo("WAITING_FOR_VICTIMS");
    NodeUsage node = it.core.nodes().getFirst();
    assertThat(node.devices().getFirst().uses())
        .containsExactly(new NodeUsage.Use(it.id("g0"), gpus("1"), NodeUsage.Use.Kind.RUNNING));
    assertThat(node.devices().get(2).uses())
        .containsExactly(
            new NodeUsage.Use(it.id("g1"), gpus("1"), NodeUsage.Use.Kind.STOPPING),
            new NodeUsage.Use(it.id("o0"), gpus("1"), NodeUsage.Use.Kind.HELD));
    assertThat(node.devices().getLast().idle()).isEqualTo(gpus("1"));
  }
}
