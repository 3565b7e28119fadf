package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A new leader takes over what another had decided; the nodes report to it one after the other.
class TakeoverPropertiesTest {
  private static final int SCENARIOS = 3_000;

  /// More than any state needs.
  private static final int MOST_REPORTS = 20;

  /// Only the leader changes: so no job starts, goes or loses its hold.
  @Test
  void aTakeoverInWhichEveryNodeReportsDecidesNothing() {
    atTakeovers(TakeoverPropertiesTest::reportAll);
  }

  /// A new leader's treatment of the old leader's state.
  private interface Takeover {
    void from(SchedulerCore core, Instant now, Random random);
  }

  /// After one decision in four.
  private static void atTakeovers(Takeover takeover) {
    Scenarios.follow(
        TakeoverPropertiesTest.class,
        SCENARIOS,
        input -> input,
        seed -> {
          Random random = new Random(seed);
          return (step, decision, core, shadow) -> {
            if (random.nextInt(4) == 0) {
              takeover.from(core, step.at(), random);
            }
          };
        });
  }

  private static void reportAll(SchedulerCore core, Instant now, Random random) {
    List<Node> nodes = new ArrayList<>();
    SchedulerCore next = takeover(atRest(core, now), nodes);
    Collections.shuffle(nodes, random);
    nothing(next.decide(List.of(new Input.TimePassed()), now).effects(), "before any report");
    for (Node node : nodes) {
      nothing(next.decide(List.of(new Input.NodeChanged(node)), now).effects(), node);
    }
  }

  /// The reports are events from outside. After one, attempts may be victims that had just started
  /// (P5), and jobs use rights again that they were barred from. So the old leader hears the same
  /// reports, until they change nothing.
  private static SchedulerCore atRest(SchedulerCore core, Instant now) {
    SchedulerCore rested = core;
    for (int i = 0; i < MOST_REPORTS; i++) {
      SchedulerCore told = rested.copy();
      List<Input> reports = new ArrayList<>();
      for (Node node : told.state().nodes()) {
        if (node.status() == NodeStatus.READY) {
          reports.add(new Input.NodeChanged(node));
        }
      }
      if (told.decide(reports, now).effects().stream().allMatch(TakeoverPropertiesTest::isReason)) {
        return rested;
      }
      rested = told;
    }
    return rested;
  }

  private static void nothing(List<Effect> effects, Object when) {
    require(
        effects.stream().allMatch(TakeoverPropertiesTest::isReason),
        "a takeover in which every node reports decides nothing",
        when,
        effects);
  }

  private static boolean isReason(Effect effect) {
    return effect instanceof Effect.JobReasonChanged || effect instanceof Effect.LaneReasonChanged;
  }

  /// Some nodes come, some stay away. No job starts on a node that has not reported, and no job is
  /// told to stop before the core knows which nodes come.
  @Test
  void actsOnNodesThatHaveReportedAndPreemptsWhenNoneIsWaitedFor() {
    atTakeovers(TakeoverPropertiesTest::reportSome);
  }

  private static void reportSome(SchedulerCore core, Instant now, Random random) {
    List<Node> nodes = new ArrayList<>();
    SchedulerCore next = takeover(core, nodes);
    Collections.shuffle(nodes, random);
    int reporting = nodes.isEmpty() ? 0 : random.nextInt(nodes.size());
    Set<NodeId> reported = new HashSet<>();
    for (Node node : nodes.subList(0, reporting)) {
      reported.add(node.id());
      actsCarefully(next.decide(List.of(new Input.NodeChanged(node)), now).effects(), reported);
    }
    List<Input> gone = new ArrayList<>();
    for (Node node : nodes.subList(reporting, nodes.size())) {
      gone.add(new Input.NodeChanged(node.withStatus(NodeStatus.SUSPECT)));
    }
    next.decide(gone, now);
    List<Effect> effects = next.decide(List.of(new Input.TimePassed()), now).effects();
    require(effects.isEmpty(), "then it is at rest", effects);
  }

  private static void actsCarefully(List<Effect> effects, Set<NodeId> reported) {
    for (Effect effect : effects) {
      switch (effect) {
        case Effect.StartAttempt(var attempt) -> {
          for (WorkerPlace worker : attempt.assignment().workers()) {
            require(
                reported.contains(worker.node()),
                "nothing starts where nobody has reported",
                attempt);
          }
        }
        case Effect.StopAttempt(var attempt, var order) ->
            require(
                !(order.cause() instanceof StopCause.Preempted),
                "nobody is preempted while nodes are waited for",
                attempt,
                order);
        default -> {
          // Reasons, and what follows from a start.
        }
      }
    }
  }

  /// @param reports gets what the nodes will say that are waited for
  private static SchedulerCore takeover(SchedulerCore core, List<Node> reports) {
    SchedulerState state = core.state();
    List<Node> nodes = new ArrayList<>();
    for (Node node : state.nodes()) {
      boolean takesWork = node.status() == NodeStatus.READY;
      nodes.add(takesWork ? node.withStatus(NodeStatus.AWAITED) : node);
      if (takesWork) {
        reports.add(node);
      }
    }
    return SchedulerCore.load(state.on(nodes), core.placement());
  }
}
