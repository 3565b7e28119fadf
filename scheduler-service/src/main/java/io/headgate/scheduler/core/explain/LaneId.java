package io.headgate.scheduler.core.explain;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The jobs of a queue that start under the same conditions, and so wait for the same reason.
///
/// @param user present where the policy limits each user
/// @param preemptible non-preemptible jobs start only inside the reservation
/// @param exceedsLimit jobs of users who may use idle capacity above the policy's limit
public record LaneId(
    QueueId queue, Optional<UserId> user, boolean preemptible, boolean exceedsLimit) {
  /// The order of the lanes of one queue.
  public static final Comparator<LaneId> ORDER =
      Comparator.comparing((LaneId lane) -> lane.user().map(UserId::name).orElse(""))
          .thenComparing(LaneId::preemptible)
          .thenComparing(LaneId::exceedsLimit);

  /// As [java.util.Collections#binarySearch].
  ///
  /// @param lanes of one queue, in their order
  public static <L> int find(List<L> lanes, Function<L, LaneId> id, LaneId wanted) {
    int low = 0;
    int high = lanes.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = ORDER.compare(id.apply(lanes.get(middle)), wanted);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }
}
