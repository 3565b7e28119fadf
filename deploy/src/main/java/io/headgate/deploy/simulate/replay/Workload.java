package io.headgate.deploy.simulate.replay;

import io.headgate.scheduler.simulation.Scenario;
import java.util.Map;

/// The input of a replay.
///
/// @param groups for which waits are reported, by the name of the job: its tenant, or its priority
/// @param leftOut number of jobs of the trace that are not played
public record Workload(Scenario scenario, Map<String, String> groups, int leftOut) {
  public Workload {
    groups = Map.copyOf(groups);
  }
}
