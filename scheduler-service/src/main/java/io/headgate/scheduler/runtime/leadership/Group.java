package io.headgate.scheduler.runtime.leadership;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The schedulers that are present, as a failure detector sees them. The detector may be wrong in
/// either direction.
///
/// @param present names of the present replicas, oldest first; empty: unknown
/// @param goneFor time since each replica left that was present before, by name
public record Group(List<String> present, Map<String, Duration> goneFor) {
  /// There is no detector, or it has not started.
  public static final Group UNKNOWN = new Group(List.of(), Map.of());

  public Group {
    present = List.copyOf(present);
    goneFor = Map.copyOf(goneFor);
  }
}
