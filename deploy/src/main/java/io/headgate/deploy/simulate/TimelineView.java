package io.headgate.deploy.simulate;

import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.sdk.cli.output.AlignedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The events of a simulation, one line each, for people.
final class TimelineView {
  private TimelineView() {}

  static List<String> lines(Recording recording) {
    List<List<String>> rows = new ArrayList<>();
    for (SimulationEvent event : recording.events()) {
      String whose =
          switch (event) {
            case SimulationEvent.OfJob of -> of.job();
            case SimulationEvent.OfPool of -> of.pool();
          };
      rows.add(List.of(Words.time(event.atMs()), whose, what(event)));
    }
    return AlignedText.lines(rows);
  }

  static String what(SimulationEvent event) {
    return switch (event) {
      case SimulationEvent.Start start ->
          "starts%s on %s (%s)"
              .formatted(
                  start.attempt() == 1 ? "" : " attempt " + start.attempt(),
                  Words.place(start.place()),
                  start.place().pool().name());
      case SimulationEvent.Wait wait -> "waits for %s: %s".formatted(wait.reason(), wait.text());
      case SimulationEvent.Preempt preempt ->
          "is preempted by %s (rule %s)".formatted(preempt.by(), preempt.rule());
      case SimulationEvent.Stop stop ->
          "has stopped: " + stop.outcome().name().toLowerCase(Locale.ROOT);
      case SimulationEvent.Finish _ -> "is done";
      case SimulationEvent.Cancel _ -> "is cancelled";
      case SimulationEvent.Draft _ -> "becomes a draft: its queue is gone";
      case SimulationEvent.Scale scale -> "is asked for %d instances".formatted(scale.instances());
      case SimulationEvent.Join join -> join.node() + " joins";
      case SimulationEvent.Leave leave -> leave.node() + " is given back";
    };
  }
}
