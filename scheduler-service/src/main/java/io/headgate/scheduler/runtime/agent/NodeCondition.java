package io.headgate.scheduler.runtime.agent;

import java.util.Optional;
import java.util.Set;

/// The usable parts of a node, by its agent's latest report.
///
/// @param unusableDevices by UUID: the scheduler places no new jobs there
/// @param runsImages whether it runs jobs with an image; absent: unchanged since the last report
public record NodeCondition(Set<String> unusableDevices, Optional<Boolean> runsImages) {
  public NodeCondition {
    unusableDevices = Set.copyOf(unusableDevices);
  }
}
