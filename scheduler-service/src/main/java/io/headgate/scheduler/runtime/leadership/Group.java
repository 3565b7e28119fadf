package io.headgate.scheduler.runtime.leadership;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Who of the schedulers is there, as a failure detector sees it. It may be wrong either way.
///
/// @param present names of the replicas that are there, oldest first; empty: nothing is known
/// @param goneFor how long ago replicas left that were there before, by name
public record Group(List<String> present, Map<String, Duration> goneFor) {
  /// There is no detector, or it has not begun.
  public static final Group UNKNOWN = new Group(List.of(), Map.of());

  public Group {
    present = List.copyOf(present);
    goneFor = Map.copyOf(goneFor);
  }
}
