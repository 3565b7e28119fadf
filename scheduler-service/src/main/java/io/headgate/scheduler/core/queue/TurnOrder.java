package io.headgate.scheduler.core.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The candidates of a pass, the next one first: a binary heap whose members know their slot, so
/// that a start can re-order its policy's queues one by one.
public final class TurnOrder {
  private final List<Turn> heap = new ArrayList<>();

  /// Takes the candidate in, or notes that its key may have changed.
  public void put(Turn turn) {
    if (!turn.isQueued()) {
      turn.slot = heap.size();
      heap.add(turn);
    }
    if (!up(turn)) {
      down(turn);
    }
  }

  public void remove(Turn turn) {
    if (!turn.isQueued()) {
      return;
    }
    Turn last = heap.removeLast();
    if (last != turn) {
      last.slot = turn.slot;
      heap.set(last.slot, last);
      if (!up(last)) {
        down(last);
      }
    }
    turn.slot = -1;
  }

  /// Takes the next one out; null: there is none.
  public @Nullable Turn next() {
    if (heap.isEmpty()) {
      return null;
    }
    Turn first = heap.getFirst();
    remove(first);
    return first;
  }

  private boolean up(Turn turn) {
    boolean moved = false;
    while (turn.slot > 0) {
      Turn parent = heap.get((turn.slot - 1) / 2);
      if (!turn.isBefore(parent)) {
        break;
      }
      swap(turn, parent);
      moved = true;
    }
    return moved;
  }

  private void down(Turn turn) {
    while (true) {
      int left = 2 * turn.slot + 1;
      if (left >= heap.size()) {
        return;
      }
      Turn child = heap.get(left);
      if (left + 1 < heap.size() && heap.get(left + 1).isBefore(child)) {
        child = heap.get(left + 1);
      }
      if (!child.isBefore(turn)) {
        return;
      }
      swap(turn, child);
    }
  }

  private void swap(Turn a, Turn b) {
    int slot = a.slot;
    a.slot = b.slot;
    b.slot = slot;
    heap.set(a.slot, a);
    heap.set(b.slot, b);
  }
}
