package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;

/// A period in which the same unused slices of a node were down. Intervals of a node neither
/// overlap nor leave a gap while they are, and none is longer than [Ledger#LONGEST].
///
/// @param from in whole milliseconds, as `until`
/// @param until later than `from`
public record DownInterval(NodeId node, DownStep.Down down, Instant from, Instant until) {
  public DownInterval {
    if (!from.isBefore(until)) {
      throw new IllegalArgumentException("from %s until %s".formatted(from, until));
    }
  }
}
