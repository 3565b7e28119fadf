package io.headgate.scheduler.runtime.agent;

import java.util.Optional;
import java.util.Set;

/// What of a node can be used, as its agent said last.
///
/// @param unusableDevices by UUID: nothing new can be placed there
/// @param runsImages whether it runs jobs with an image; absent: as it said before
public record NodeCondition(Set<String> unusableDevices, Optional<Boolean> runsImages) {
  public NodeCondition {
    unusableDevices = Set.copyOf(unusableDevices);
  }
}
