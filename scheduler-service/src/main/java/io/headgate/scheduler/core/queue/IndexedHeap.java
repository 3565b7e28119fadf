package io.headgate.scheduler.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A binary heap whose members know their slot, so that a member is moved or removed without a
/// search.
///
/// A caller that changes the order of a member takes it out before and puts it back afterwards.
final class IndexedHeap<M extends IndexedHeap.Member<M>> {
  /// Something that is in at most one heap.
  abstract static class Member<M> {
    private static final int OUTSIDE = -1;

    private int slot = OUTSIDE;

    final boolean isQueued() {
      return slot != OUTSIDE;
    }

    abstract boolean isBefore(M other);
  }

  private final List<M> heap = new ArrayList<>();

  boolean isEmpty() {
    return heap.isEmpty();
  }

  /// The first; null: there is none.
  @Nullable M peek() {
    return heap.isEmpty() ? null : heap.getFirst();
  }

  /// Takes the member in, or to its new place.
  void put(M member) {
    if (!member.isQueued()) {
      place(member, heap.size());
    }
    if (!up(member)) {
      down(member);
    }
  }

  void remove(M member) {
    if (!member.isQueued()) {
      return;
    }
    int slot = slotOf(member);
    M last = heap.removeLast();
    if (slot < heap.size()) {
      place(last, slot);
      if (!up(last)) {
        down(last);
      }
    }
    ((Member<M>) member).slot = Member.OUTSIDE;
  }

  /// Takes them all in; it is empty before.
  void fill(List<M> members) {
    if (!heap.isEmpty()) {
      throw new IllegalStateException("%d are left".formatted(heap.size()));
    }
    for (M member : members) {
      place(member, heap.size());
    }
    order();
  }

  private void order() {
    for (int slot = heap.size() / 2 - 1; slot >= 0; slot--) {
      down(heap.get(slot));
    }
  }

  /// Keeps those only of which the condition holds; it is asked once about each, in no particular
  /// order, and must not change the heap.
  void retain(Predicate<M> condition) {
    int kept = 0;
    for (int slot = 0; slot < heap.size(); slot++) {
      M member = heap.get(slot);
      if (condition.test(member)) {
        place(member, kept++);
      } else {
        ((Member<M>) member).slot = Member.OUTSIDE;
      }
    }
    heap.subList(kept, heap.size()).clear();
    order();
  }

  private int slotOf(M member) {
    return ((Member<M>) member).slot;
  }

  private void place(M member, int slot) {
    if (slot == heap.size()) {
      heap.add(member);
    } else {
      heap.set(slot, member);
    }
    ((Member<M>) member).slot = slot;
  }

  private boolean up(M member) {
    int slot = slotOf(member);
    int at = slot;
    while (at > 0) {
      M parent = heap.get((at - 1) / 2);
      if (!member.isBefore(parent)) {
        break;
      }
      place(parent, at);
      at = (at - 1) / 2;
    }
    place(member, at);
    return at != slot;
  }

  private void down(M member) {
    int at = slotOf(member);
    while (2 * at + 1 < heap.size()) {
      int first = 2 * at + 1;
      if (first + 1 < heap.size() && heap.get(first + 1).isBefore(heap.get(first))) {
        first++;
      }
      M child = heap.get(first);
      if (!child.isBefore(member)) {
        break;
      }
      place(child, at);
      at = first;
    }
    place(member, at);
  }
}
