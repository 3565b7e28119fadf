package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.ledger.LastingPart.Begin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// The attempts with an interval that lasts, by its beginning.
final class LastingMeters {
  private final TreeMap<Begin, MeteredAttempt> byBegin = new TreeMap<>();

  void add(MeteredAttempt meter, Instant since) {
    byBegin.put(begin(meter, since), meter);
  }

  /// Nothing if no interval of it lasts.
  void remove(MeteredAttempt meter) {
    if (meter.open != null) {
      byBegin.remove(begin(meter, meter.open.since()));
    }
  }

  private static Begin begin(MeteredAttempt meter, Instant since) {
    return new Begin(since, meter.holding.job(), meter.holding.attempt());
  }

  Collection<MeteredAttempt> all() {
    return byBegin.values();
  }

  /// The first attempts whose intervals began at or before a time.
  List<MeteredAttempt> begunUntil(Instant time, int limit) {
    List<MeteredAttempt> first = new ArrayList<>();
    Iterator<Begin> begins = byBegin.keySet().iterator();
    while (first.size() < limit && begins.hasNext()) {
      Begin begin = begins.next();
      if (begin.since().isAfter(time)) {
        break;
      }
      first.add(byBegin.get(begin));
    }
    return first;
  }

  /// The attempts from a position on. Earlier intervals that should have been cut already come too:
  /// a later piece of them may be asked for.
  ///
  /// @param limit the most that are looked at, without those that should have been cut
  Part from(Begin position, Instant begunUntil, int limit) {
    List<MeteredAttempt> found = new ArrayList<>();
    for (var entry : byBegin.headMap(position, false).entrySet()) {
      if (entry.getKey().since().isAfter(begunUntil)) {
        break;
      }
      found.add(entry.getValue());
    }
    Optional<Begin> reached = Optional.empty();
    int left = limit;
    for (var entry : byBegin.tailMap(position, true).entrySet()) {
      if (left-- == 0) {
        return new Part(found, reached);
      }
      found.add(entry.getValue());
      reached = Optional.of(entry.getKey());
    }
    return new Part(found, Optional.empty());
  }

  /// @param reached the last that was looked at; empty: no more is left
  record Part(List<MeteredAttempt> meters, Optional<Begin> reached) {}
}
