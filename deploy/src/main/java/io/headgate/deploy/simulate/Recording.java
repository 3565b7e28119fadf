package io.headgate.deploy.simulate;

import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.Simulation;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.Summary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A whole simulation, for views that need to look at it more than once.
record Recording(Scenario scenario, List<SimulationEvent> events, Summary summary) {
  Recording {
    events = List.copyOf(events);
  }

  static Recording of(Scenario scenario) {
    List<SimulationEvent> events = new ArrayList<>();
    Summary summary = new Simulation(scenario, events::add).run();
    return new Recording(scenario, events, summary);
  }

  /// Number of jobs that wait at the end and have never run.
  long neverStarted() {
    Set<String> ran = new HashSet<>();
    for (Scenario.Running running : scenario.running()) {
      ran.add(running.job().name());
    }
    for (SimulationEvent event : events) {
      if (event instanceof SimulationEvent.Start start) {
        ran.add(start.job());
      }
    }
    return waiting().keySet().stream().filter(job -> !ran.contains(job)).count();
  }

  /// Jobs that wait at the end, each with its last reason, in the order in which they began to
  /// wait.
  Map<String, SimulationEvent.Wait> waiting() {
    Map<String, SimulationEvent.Wait> waiting = new LinkedHashMap<>();
    for (SimulationEvent event : events) {
      switch (event) {
        case SimulationEvent.Wait wait -> waiting.put(wait.job(), wait);
        case SimulationEvent.Start _,
            SimulationEvent.Preempt _,
            SimulationEvent.Stop _,
            SimulationEvent.Finish _,
            SimulationEvent.Cancel _,
            SimulationEvent.Draft _ -> {
          if (event instanceof SimulationEvent.OfJob of) {
            waiting.remove(of.job());
          }
        }
        case SimulationEvent.OfPool _ -> {}
      }
    }
    return waiting;
  }
}
