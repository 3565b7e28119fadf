package io.headgate.scheduler.core.preemption;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The attempts of a node that were not asked to stop, and when they are expected to end. An end is
/// computed when it is asked for, and again only after something changed it: the run times of the
/// queue are others, or the attempt has outlasted some of them.
final class NodeEnds {
  /// An attempt with its expected end.
  ///
  /// @param ages whether the attempt counts as endless once it is old ([Ends])
  record Expected(LiveAttempt attempt, Instant end, boolean ages) implements Comparable<Expected> {
    private static final Comparator<Expected> ORDER =
        Comparator.comparing(Expected::end)
            .thenComparing(it -> it.attempt().nodes().getFirst())
            .thenComparingLong(it -> it.attempt().sequence());

    @Override
    public int compareTo(Expected other) {
      return ORDER.compare(this, other);
    }

    /// Whether a job expects it.
    boolean isExpectedBy(Ends ends) {
      return !ages || !ends.isOld(attempt);
    }
  }

  /// An attempt with its expected end, and for how long that end is right.
  private static final class Entry {
    final LiveAttempt attempt;
    @Nullable Expected expected;
    private Instant from = Instant.MAX;
    private Instant until = Instant.MIN;
    private long runTimes;

    Entry(LiveAttempt attempt) {
      this.attempt = attempt;
    }

    /// Brings it up to date; whether anything else is expected now.
    boolean expect(Instant now) {
      RunTimes runs = attempt.job().queue().runTimes();
      if (runs.changes() == runTimes && !now.isBefore(from) && now.isBefore(until)) {
        return false;
      }
      from = now;
      until = Instant.MAX;
      runTimes = runs.changes();
      Expected before = expected;
      expected = find(runs, now);
      return !Objects.equals(before, expected);
    }

    private @Nullable Expected find(RunTimes runs, Instant now) {
      Optional<Instant> declared = attempt.endsBy();
      if (declared.isPresent()) {
        return new Expected(attempt, declared.get(), false);
      }
      Duration elapsed = Ends.elapsed(attempt, now);
      Optional<Duration> median = runs.median(elapsed);
      if (median.isEmpty()) {
        return null;
      }
      until = attempt.from().plus(runs.sameUntil(elapsed));
      return new Expected(attempt, attempt.from().plus(median.get()), !runs.areEnough());
    }
  }

  private final NodeState node;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Expected> expected = new ArrayList<>();

  /// By place in that order: the most units free on one device once this attempt has ended, too.
  private long[] mostFree = {};

  /// By place: how many devices are free then.
  private int[] freeDevices = {};

  private boolean areFreeKnown;
  private long freeAt;
  private boolean someAge;

  /// Whether attempts have come since the last question.
  private boolean someCame;

  /// The time and the observed run times of the last question, and up to when time changes nothing.
  private Instant askedAt = Instant.MAX;

  private long askedOf;
  private Instant until = Instant.MIN;

  NodeEnds(NodeState node) {
    this.node = node;
  }

  NodeState node() {
    return node;
  }

  void add(LiveAttempt attempt) {
    entries.add(new Entry(attempt));
    someCame = true;
  }

  /// Takes the attempt out; whether it was the last one.
  boolean removeLast(LiveAttempt attempt) {
    entries.removeIf(entry -> entry.attempt == attempt);
    if (expected.removeIf(each -> each.attempt() == attempt)) {
      areFreeKnown = false;
    }
    return entries.isEmpty();
  }

  /// The attempts whose ends are known at this time, or would be if they were younger; the first to
  /// end first.
  ///
  /// @param observed counts the run times that were observed
  List<Expected> expected(Instant now, long observed) {
    if (someCame || askedOf != observed || now.isBefore(askedAt) || !now.isBefore(until)) {
      someCame = false;
      until = Instant.MAX;
      boolean changed = false;
      for (Entry entry : entries) {
        changed |= entry.expect(now);
        until = entry.until.isBefore(until) ? entry.until : until;
      }
      if (changed) {
        sort();
      }
    }
    askedAt = now;
    askedOf = observed;
    return expected;
  }

  private void sort() {
    areFreeKnown = false;
    someAge = false;
    expected.clear();
    for (Entry entry : entries) {
      if (entry.expected != null) {
        expected.add(entry.expected);
        someAge |= entry.expected.ages();
      }
    }
    Collections.sort(expected);
  }

  /// Whether some of those that were expected count as endless once they are old.
  boolean someAge() {
    return someAge;
  }

  /// The attempt before whose end no worker of the shape fits, going by free devices only; null: it
  /// never does. Valid after [#expected].
  @Nullable Expected soonest(Shape shape) {
    if (!areFreeKnown || freeAt != node.version()) {
      countFree();
    }
    long whole = shape.isFraction() ? 0 : shape.units() / UNITS_PER_GPU;
    int low = 0;
    int high = expected.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      boolean mayFit =
          shape.isFraction() ? mostFree[middle] >= shape.units() : freeDevices[middle] >= whole;
      if (mayFit) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low < expected.size() ? expected.get(low) : null;
  }

  private void countFree() {
    areFreeKnown = true;
    freeAt = node.version();
    long[] free = new long[node.deviceCount()];
    long most = 0;
    int devices = 0;
    for (int slot = 0; slot < free.length; slot++) {
      free[slot] = node.device(slot).freeUnitsSoon();
      most = Math.max(most, free[slot]);
      devices += free[slot] >= UNITS_PER_GPU ? 1 : 0;
    }
    mostFree = new long[expected.size()];
    freeDevices = new int[expected.size()];
    for (int place = 0; place < mostFree.length; place++) {
      LiveAttempt attempt = expected.get(place).attempt();
      for (int worker = 0; worker < attempt.workers(); worker++) {
        if (attempt.nodes().get(worker) != node) {
          continue;
        }
        for (Slice slice : attempt.share(worker).slices()) {
          int slot = node.slot(slice.device());
          boolean wasFree = free[slot] >= UNITS_PER_GPU;
          free[slot] += slice.quantity().units();
          most = Math.max(most, free[slot]);
          devices += !wasFree && free[slot] >= UNITS_PER_GPU ? 1 : 0;
        }
      }
      mostFree[place] = most;
      freeDevices[place] = devices;
    }
  }

  /// The attempt after whose end a worker of the shape fits, if those in the list end one after the
  /// other; null: it does not.
  ///
  /// @param known of [#expected], perhaps without some that are endless
  @Nullable Expected lastToEnd(Shape shape, List<Expected> known, Expected soonest) {
    Room room = Room.soon(node);
    for (Expected each : known) {
      give(room, each.attempt());
      if (each.compareTo(soonest) >= 0 && room.workers(shape) > 0) {
        return each;
      }
    }
    return null;
  }

  /// Puts the shares of an attempt on the room's node back as if they were free.
  static void give(Room room, LiveAttempt attempt) {
    for (int worker = 0; worker < attempt.workers(); worker++) {
      if (attempt.nodes().get(worker) == room.node()) {
        room.give(attempt.share(worker));
      }
    }
  }

  /// The attempts of a certainty, in the order of their starts.
  List<LiveAttempt> of(Ends.Certainty certainty, Ends ends) {
    List<LiveAttempt> found = new ArrayList<>();
    for (Entry entry : entries) {
      if (ends.of(entry.attempt).certainty() == certainty) {
        found.add(entry.attempt);
      }
    }
    found.sort(Comparator.comparingLong(LiveAttempt::sequence));
    return found;
  }
}
