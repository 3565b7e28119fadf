package io.headgate.scheduler.core.ledger;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The attempts of one policy that have GPUs, in the order of their assignment, and how far its
/// reservation and its limit reach among them.
final class PolicyMeters {
  private final TreeMap<Long, MeteredAttempt> bySequence = new TreeMap<>();
  private final Reach reservation = new Reach(true);
  private final Reach limit = new Reach(false);
  private long used;

  /// Covers the first units of the row, as many as it has.
  private static final class Reach {
    private final boolean isReservation;
    private long units;
    private long covered;

    /// The sequence of the first attempt that is not covered in full; `MAX_VALUE`: all are.
    private long edge = Long.MAX_VALUE;

    Reach(boolean isReservation) {
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
      Reach reach, MeteredAttempt meter, boolean isLast, Consumer<MeteredAttempt> changed) {
    if (isLast) {
      cover(reach, meter);
    } else {
      // An attempt that moved here from another policy.
      coverAnew(reach, changed);
    }
  }

  /// @param changed told of each other attempt whose share is another one now
  void remove(MeteredAttempt meter, Consumer<MeteredAttempt> changed) {
    bySequence.remove(meter.sequence);
    used -= meter.units;
    remove(reservation, meter, changed);
    remove(limit, meter, changed);
  }

  private void remove(Reach reach, MeteredAttempt meter, Consumer<MeteredAttempt> changed) {
    reach.covered -= reach.of(meter);
    if (reach.edge == meter.sequence) {
      Long next = bySequence.higherKey(meter.sequence);
      reach.edge = next == null ? Long.MAX_VALUE : next;
    }
    while (reach.edge != Long.MAX_VALUE && reach.covered < reach.units) {
      MeteredAttempt first = bySequence.get(reach.edge);
      if (first == null) {
        throw new IllegalStateException("no attempt has the sequence " + reach.edge);
      }
      cover(reach, first);
      changed.accept(first);
      if (reach.of(first) == first.units) {
        Long next = bySequence.higherKey(first.sequence);
        reach.edge = next == null ? Long.MAX_VALUE : next;
      }
    }
  }

  /// Covers as much of the attempt as is left for it.
  private static void cover(Reach reach, MeteredAttempt meter) {
    long left = reach.units - reach.covered + reach.of(meter);
    reach.set(meter, Math.clamp(left, 0, meter.units));
    if (reach.of(meter) < meter.units) {
      reach.edge = Math.min(reach.edge, meter.sequence);
    }
  }

  /// The policy's rights are other ones now.
  ///
  /// @param changed told of each attempt whose share is another one now
  void configure(Books.Rights rights, Consumer<MeteredAttempt> changed) {
    configure(reservation, rights.reservation(), changed);
    configure(limit, Math.max(rights.reservation(), rights.limit()), changed);
  }

  private void configure(Reach reach, long units, Consumer<MeteredAttempt> changed) {
    if (reach.units != units) {
      reach.units = units;
      coverAnew(reach, changed);
    }
  }

  private void coverAnew(Reach reach, Consumer<MeteredAttempt> changed) {
    reach.edge = Long.MAX_VALUE;
    long left = reach.units;
    for (Map.Entry<Long, MeteredAttempt> entry : bySequence.entrySet()) {
      MeteredAttempt meter = entry.getValue();
      long part = Math.min(left, meter.units);
      left -= part;
      if (part != reach.of(meter)) {
        reach.set(meter, part);
        changed.accept(meter);
      }
      if (part < meter.units) {
        reach.edge = Math.min(reach.edge, meter.sequence);
      }
    }
  }
}
