package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// The last answers of the server.
///
/// @param time when it was told, by the clock of this machine
/// @param leader `sched-1 epoch 4`; empty: none leads
/// @param simulated some devices are simulated
/// @param nodes empty unless the view of nodes was asked for
/// @param jobs empty unless the view of jobs was asked for
/// @param events the newest, newest first
record TopData(
    String tenant,
    Instant time,
    String leader,
    boolean simulated,
    List<Usage.OfPool> pools,
    List<Usage.OfPolicy> policies,
    List<Usage.OfNode> nodes,
    Jobs jobs,
    List<Event> events) {

  /// As many jobs as the screen has lines.
  ///
  /// @param counts of all jobs that match, by state: `WAITING`
  record Jobs(List<Job> shown, Map<String, Long> counts) {
    static final Jobs NONE = new Jobs(List.of(), Map.of());

    Jobs {
      shown = List.copyOf(shown);
      counts = Map.copyOf(counts);
    }
  }

  TopData {
    pools = List.copyOf(pools);
    policies = List.copyOf(policies);
    nodes = List.copyOf(nodes);
    events = List.copyOf(events);
  }
}
