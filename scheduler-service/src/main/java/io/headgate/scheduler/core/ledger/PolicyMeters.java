package io.headgate.scheduler.core.ledger;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The attempts of one policy that have GPUs, in the order of their assignment, and how far its
/// reservation and its limit cover among them.
final class PolicyMeters {
  private final TreeMap<Long, MeteredAttempt> bySequence = new TreeMap<>();
  private final Cover reservation = new Cover(true);
  private final Cover limit = new Cover(false);
  private long used;

  /// Covers the first units of the row, as many as it has.
  private static final class Cover {
    private final boolean isReservation;
    private long units;
    private long covered;

    /// The sequence of the first attempt that is not covered in full; `MAX_VALUE`: all are.
    private long edge = Long.MAX_VALUE;

    Cover(boolean isReservation) {
      this.isReservation = isReservation;
    }

    long of(MeteredAttempt meter) {
      return isReservation ? meter.reserved : meter.limited;
    }

    void set(MeteredAttempt meter, long part) {
      covered += part - of(meter);
      if (isReservation) {
        meter.reserved = part;
      } else {
        meter.limited = part;
      }
    }
  }

  /// GPU units of all of them.
  long used() {
    return used;
  }

  boolean isEmpty() {
    return bySequence.isEmpty();
  }

  Iterable<MeteredAttempt> all() {
    return bySequence.values();
  }

  /// @param changed told of each other attempt whose share is another one now
  void add(MeteredAttempt meter, Consumer<MeteredAttempt> changed) {
    boolean isLast = bySequence.isEmpty() || bySequence.lastKey() < meter.sequence;
    if (bySequence.put(meter.sequence, meter) != null) {
      throw new IllegalStateException("two attempts have the sequence " + meter.sequence);
    }
    used += meter.units;
    add(reservation, meter, isLast, changed);
    add(limit, meter, isLast, changed);
  }

  private void add(
      Cover cover, MeteredAttempt meter, boolean isLast, Consumer<MeteredAttempt> changed) {
    if (isLast) {
      cover(cover, meter);
    } else {
      // An attempt that moved here from another policy.
      coverAnew(cover, changed);
    }
  }

  /// @param changed told of each other attempt whose share is another one now
  void remove(MeteredAttempt meter, Consumer<MeteredAttempt> changed) {
    bySequence.remove(meter.sequence);
    used -= meter.units;
    remove(reservation, meter, changed);
    remove(limit, meter, changed);
  }

  private void remove(Cover cover, MeteredAttempt meter, Consumer<MeteredAttempt> changed) {
    cover.covered -= cover.of(meter);
    if (cover.edge == meter.sequence) {
      Long next = bySequence.higherKey(meter.sequence);
      cover.edge = next == null ? Long.MAX_VALUE : next;
    }
    while (cover.edge != Long.MAX_VALUE && cover.covered < cover.units) {
      MeteredAttempt first = bySequence.get(cover.edge);
      if (first == null) {
        throw new IllegalStateException("no attempt has the sequence " + cover.edge);
      }
      cover(cover, first);
      changed.accept(first);
      if (cover.of(first) == first.units) {
        Long next = bySequence.higherKey(first.sequence);
        cover.edge = next == null ? Long.MAX_VALUE : next;
      }
    }
  }

  /// Covers as much of the attempt as is left for it.
  private static void cover(Cover cover, MeteredAttempt meter) {
    long left = cover.units - cover.covered + cover.of(meter);
    cover.set(meter, Math.clamp(left, 0, meter.units));
    if (cover.of(meter) < meter.units) {
      cover.edge = Math.min(cover.edge, meter.sequence);
    }
  }

  /// The policy's rights are other ones now.
  ///
  /// @param changed told of each attempt whose share is another one now
  void configure(Books.Rights rights, Consumer<MeteredAttempt> changed) {
    configure(reservation, rights.reservation(), changed);
    configure(limit, Math.max(rights.reservation(), rights.limit()), changed);
  }

  private void configure(Cover cover, long units, Consumer<MeteredAttempt> changed) {
    if (cover.units != units) {
      cover.units = units;
      coverAnew(cover, changed);
    }
  }

  private void coverAnew(Cover cover, Consumer<MeteredAttempt> changed) {
    cover.edge = Long.MAX_VALUE;
    long left = cover.units;
    for (Map.Entry<Long, MeteredAttempt> entry : bySequence.entrySet()) {
      MeteredAttempt meter = entry.getValue();
      long part = Math.min(left, meter.units);
      left -= part;
      if (part != cover.of(meter)) {
        cover.set(meter, part);
        changed.accept(meter);
      }
      if (part < meter.units) {
        cover.edge = Math.min(cover.edge, meter.sequence);
      }
    }
  }
}
