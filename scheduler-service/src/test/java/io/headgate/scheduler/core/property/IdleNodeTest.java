package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Preemptions that happen without a new request.
class IdleNodeTest {
  private static final int SCENARIOS = 20_000;

  /// "Adding an idle node never causes a preemption" does not follow from the rules, for two
  /// reasons. A job that starts on it may lift its policy above its reservation; then jobs of that
  /// policy elsewhere may go for an entitled job that does not fit on the new node. And in a pool
  /// with a ceiling, going under the ceiling may make room only there (`IdleNodeRuleTest` has both
  /// cases). For jobs of one worker it does hold that a node on which no job starts causes no
  /// preemption under P1 or P7 in a pool without a ceiling.
  @Test
  void anIdleNodeOnWhichNothingStartsCausesNoPreemption() {
    Scenarios.follow(
        IdleNodeTest.class,
        SCENARIOS,
        IdleNodeTest::ofOneWorker,
        seed ->
            (step, decision, core, shadow) -> {
              for (Pool pool : shadow.catalog.pools()) {
                if (pool.elasticity().isEmpty() && pool.capacity().isEmpty()) {
                  addTo(pool, core, step.at(), 1 + (int) (seed % 8));
                }
              }
            });
  }

  private static void addTo(Pool pool, SchedulerCore core, Instant now, int gpus) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(
          new Device(i, "new-" + i, "A", 80L << 30, new Geometry.Continuous(), Isolation.NONE));
    }
    TenantId tenant = pool.id().tenant();
    Node node =
        new Node(
            new NodeId(tenant, "new"), pool.id(), devices, 64_000, 64L << 30, NodeStatus.READY);
    SchedulerCore copy = core.copy();
    // Attempts that have just started may be victims once there is news (P5).
    copy.decide(List.of(new Input.WorkerLost(new AttemptId(new JobId(-1), 1), 0)), now);
    List<Effect> effects = copy.decide(List.of(new Input.NodeChanged(node)), now).effects();
    require(
        effects.stream().anyMatch(Effect.StartAttempt.class::isInstance)
            || effects.stream().noneMatch(IdleNodeTest::takesFromOthers),
        "an idle node on which nothing starts causes no preemption",
        node,
        effects);
  }

  private static boolean takesFromOthers(Effect effect) {
    return effect instanceof Effect.StopAttempt(var _, var order)
        && order.cause() instanceof StopCause.Preempted preempted
        && preempted.rule() != PreemptionRule.P9
        && preempted.rule() != PreemptionRule.P11;
  }

  private static Input ofOneWorker(Input input) {
    return Scenarios.provisioned(
        input,
        catalog ->
            catalog.withProfiles(
                catalog.profiles().stream()
                    .map(profile -> profile.with().workers(1).build())
                    .toList()));
  }

  /// The argument against idle nodes: when agents only follow their orders and nothing else
  /// happens, everything comes to rest, and no attempt was told to stop twice.
  @Test
  void withoutExternalEventsPreemptionsEnd() {
    Scenarios.follow(
        IdleNodeTest.class,
        SCENARIOS,
        input -> input,
        seed ->
            (step, decision, core, shadow) -> {
              if (shadow.attempts.values().stream().anyMatch(a -> a.stop().isPresent())) {
                settle(core.copy(), step.at(), shadow.live().size());
              }
            });
  }

  private static void settle(SchedulerCore core, Instant now, int jobs) {
    int preemptions = 0;
    while (true) {
      List<Input> obeyed = new ArrayList<>();
      for (Attempt attempt : core.state().attempts()) {
        for (int worker = 0;
            attempt.stop().isPresent() && worker < attempt.workers().size();
            worker++) {
          obeyed.add(new Input.WorkerStopped(attempt.id(), worker));
        }
      }
      if (obeyed.isEmpty()) {
        return;
      }
      for (Effect effect : core.decide(obeyed, now).effects()) {
        preemptions += effect instanceof Effect.StopAttempt ? 1 : 0;
      }
      require(
          preemptions <= jobs,
          "preemptions between two external events are bounded",
          preemptions,
          jobs);
    }
  }
}
