package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/// Named properties that compare two runs: the same made-up history in another guise is decided
/// alike.
@Order(1) // It takes longest.
class PairedRunsTest {
  private static final int SCENARIOS = 20_000;

  /// Uses whole GPUs: parts of a GPU do not become larger parts of it.
  @Test
  void scalingAllQuantitiesChangesNothing() {
    Scenarios.compare(
        PairedRunsTest.class,
        SCENARIOS,
        Guises::whole,
        (seed, steps, decided) -> {
          int factor = 2 + (int) (seed % 3);
          requireSame(
              decided.stream().map(PairedRunsTest::outline).toList(),
              Scenarios.run(in(steps, input -> Guises.scaled(input, factor))).stream()
                  .map(PairedRunsTest::outline)
                  .toList(),
              "scaling all quantities changes nothing");
        });
  }

  private static void requireSame(List<?> one, List<?> other, String property) {
    for (int step = 0; step < one.size(); step++) {
      require(
          one.get(step).equals(other.get(step)),
          property,
          "step " + step,
          one.get(step),
          other.get(step));
    }
  }

  private static List<Step> in(List<Step> steps, UnaryOperator<Input> guise) {
    return steps.stream()
        .map(step -> new Step(step.at(), step.inputs().stream().map(guise).toList()))
        .toList();
  }

  /// The decisions, without quantities and devices.
  private static List<String> outline(List<Effect> effects) {
    List<String> lines = new ArrayList<>();
    for (Effect effect : effects) {
      lines.add(
          switch (effect) {
            case Effect.JobChanged(var job, var from, var event) ->
                "job " + job.id() + " " + from + " " + job.state() + " " + event;
            case Effect.StartAttempt(var attempt) ->
                "start " + attempt.id() + " " + nodes(attempt.assignment().workers());
            case Effect.AttemptChanged(var attempt) ->
                "attempt " + attempt.id() + " " + attempt.workers();
            case Effect.StopAttempt(var id, var order) -> "stop " + id + " " + order.outcome();
            case Effect.AttemptSuspended(var attempt) -> "suspended " + attempt.id();
            case Effect.ResumeAttempt(var attempt) -> "resume " + attempt.id();
            case Effect.AttemptEnded(var attempt, var ending) -> "end " + attempt.id() + ending;
            case Effect.HoldPlaced(var hold) ->
                "hold %s %s %s %s %s %s"
                    .formatted(
                        hold.job(),
                        nodes(hold.place().workers()),
                        hold.waitsFor(),
                        hold.rule(),
                        hold.expectedStart(),
                        hold.until());
            case Effect.LaneReasonChanged(var lane, var reason) ->
                "reason " + lane + " " + reason.code();
            case Effect.JobReasonChanged(var job, var reason) ->
                "reason " + job + " " + reason.code();
            case Effect.PastUseChanged(var past) -> "past " + past.pool() + " " + past.level();
            case Effect.HoldReleased _,
                Effect.HoldPauseChanged _,
                Effect.HeadroomHoldChanged _,
                Effect.GateChanged _,
                Effect.DependencyFailed _,
                Effect.NodeSetAside _,
                Effect.ScalePool _,
                Effect.ReleaseNode _ ->
                effect.toString();
          });
    }
    return lines;
  }

  private static List<String> nodes(List<WorkerPlace> workers) {
    return workers.stream().map(worker -> worker.node().name()).toList();
  }
}
