package io.headgate.deploy.simulate.replay;

import io.headgate.scheduler.simulation.Scenario;
import java.util.Map;

/// What a replay plays.
///
/// @param groups whose waits are told apart, by the name of the job: its tenant, or its priority
/// @param leftOut jobs of the trace that are not played
public record Workload(Scenario scenario, Map<String, String> groups, int leftOut) {
  public Workload {
    groups = Map.copyOf(groups);
  }
}
