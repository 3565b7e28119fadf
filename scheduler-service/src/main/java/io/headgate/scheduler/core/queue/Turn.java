package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.rights.PolicyAccount;
import org.jspecify.annotations.Nullable;

/// A queue's candidate in a pass and what decides its turn (DESIGN O1-O5). One comparator orders
/// those who start and, read backwards, those who go.
public final class Turn {
  private static final int NOT_QUEUED = -1;

  private final QueueState queue;
  private @Nullable Lane lane;
  private @Nullable LiveJob head;
  private @Nullable Route route;
  private boolean entitled;
  private int position;

  /// Place in [TurnOrder]'s heap.
  int slot = NOT_QUEUED;

  Turn(QueueState queue) {
    this.queue = queue;
  }

  public QueueState queue() {
    return queue;
  }

  public boolean isQueued() {
    return slot != NOT_QUEUED;
  }

  /// The job whose turn it will be; null: none of the queue may start.
  public @Nullable LiveJob head() {
    return head;
  }

  public @Nullable Lane lane() {
    return lane;
  }

  /// Where it fits now; null: nowhere, it would have to preempt.
  public @Nullable Route route() {
    return route;
  }

  public boolean isEntitled() {
    return entitled;
  }

  /// Finds the queue's candidate anew: of the heads of its lanes that rights do not stop, the first
  /// (DESIGN O5), and the first pool in routing order that can take it now (DESIGN O6).
  ///
  /// @return whether there is one that fits or, being entitled, may preempt
  public boolean choose() {
    lane = null;
    head = null;
    route = null;
    for (Lane candidate : queue.lanes()) {
      LiveJob first = candidate.line().first();
      if ((head == null || LiveJob.ORDER.compare(first, head) < 0)
          && candidate.gate() == Block.NONE) {
        lane = candidate;
        head = first;
      }
    }
    if (head == null || queue.routes().isEmpty()) {
      return false;
    }
    entitled = queue.isEntitled();
    for (Route candidate : queue.routes()) {
      if (candidate.fits()) {
        route = candidate;
        break;
      }
    }
    position = (route == null ? queue.routes().getFirst() : route).position();
    return route != null || entitled;
  }

  /// Whether this one's turn is before the other's.
  boolean isBefore(Turn other) {
    if (entitled != other.entitled) {
      return entitled;
    }
    if (position != other.position) {
      return position < other.position;
    }
    if (queue.rank() != other.queue.rank()) {
      return queue.rank() < other.queue.rank();
    }
    PolicyAccount mine = queue.account();
    PolicyAccount others = other.queue.account();
    int share = mine.compareShare(0, others, 0);
    if (share != 0) {
      return share < 0;
    }
    return sequence() < other.sequence();
  }

  private long sequence() {
    return head == null ? Long.MAX_VALUE : head.sequence();
  }
}
