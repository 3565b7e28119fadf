package io.headgate.sdk.cli.output;

import io.headgate.sdk.model.Placement;
import io.headgate.sdk.model.Placement.Slice;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;

/// The place of a job with every slice: `a-0:0-2`, `a-0:3 (1/2)`, `a-0:3 (3/8, 3g@4)`. A gang:
/// `a-0:0-7 a-1:0-7`. A job without GPU: `c-0`.
public final class PlaceText {
  private static final int MOST_WORKERS = 4;

  private PlaceText() {}

  /// The places of all workers, shortened to the room in a line.
  public static String of(List<Placement> placements) {
    List<String> workers = new ArrayList<>();
    for (Placement worker : placements) {
      if (workers.size() == MOST_WORKERS) {
        workers.add("and %d more".formatted(placements.size() - MOST_WORKERS));
        break;
      }
      workers.add(of(worker));
    }
    return String.join(" ", workers);
  }

  /// The place of one worker.
  public static String of(Placement worker) {
    String node = worker.node();
    List<Slice> slices = worker.slices();
    if (slices.isEmpty()) {
      return node;
    }
    if (slices.size() == 1 && !slices.getFirst().gpus().equals(GpuQuantity.ONE)) {
      Slice slice = slices.getFirst();
      String place =
          slice.place() == null
              ? ""
              : ", %s@%d".formatted(slice.place().profile(), slice.place().start());
      return "%s:%d (%s%s)".formatted(node, slice.deviceIndex(), slice.gpus(), place);
    }
    List<String> ranges = new ArrayList<>();
    int from = slices.getFirst().deviceIndex();
    int to = from;
    for (Slice slice : slices.subList(1, slices.size())) {
      if (slice.deviceIndex() != to + 1) {
        ranges.add(range(from, to));
        from = slice.deviceIndex();
      }
      to = slice.deviceIndex();
    }
    ranges.add(range(from, to));
    return node + ":" + String.join(",", ranges);
  }

  private static String range(int from, int to) {
    return from == to ? Integer.toString(from) : from + "-" + to;
  }
}
