package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The unused slices of a node that are down from a time on, until its next step. Only the newest
/// step is kept: it says where the next interval begins.
///
/// @param down empty: none any more
public record DownStep(NodeId node, Instant at, Optional<Down> down) {
  /// Unused slices of a node that takes no work, or of devices that take none.
  ///
  /// @param pool of the node
  /// @param slices one for each device, by ascending index
  public record Down(PoolId pool, List<Slice> slices) {
    public Down {
      slices = List.copyOf(slices);
    }

    public long units() {
      return slices.stream().mapToLong(slice -> slice.quantity().units()).sum();
    }
  }

  /// The intervals from the step to a time; none if nothing is down.
  public List<DownInterval> until(Instant end) {
    List<DownInterval> intervals = new ArrayList<>();
    down.ifPresent(slices ->
        Pieces.of(
            at,
            end,
            (from, until, _, _) -> intervals.add(new DownInterval(node, slices, from, until))));
    return intervals;
  }
}
