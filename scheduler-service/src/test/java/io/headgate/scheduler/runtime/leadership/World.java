package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.time.TimeSource;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// Virtual time: events in order of time, one after the other, on the caller's thread. With one
/// seed everything happens in the same way every time.
final class World {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;

  private static final int TRACED = 400;
  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private final RandomGenerator random;
  private final boolean isTracing;
  private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
  private final Deque<String> trace = new ArrayDeque<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long order;
  private long count;

  World(long seed, boolean isTracing) {
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    this.isTracing = isTracing;
  }

  private record Event(long at, long order, Life life, Runnable action)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /// A process from its start to its death. Its timers die with it, and wait while it stands still.
  static final class Life {
    final String name;
    private boolean isOver;
    private long stillUntil;

    Life(String name) {
      this.name = name;
    }

    void end() {
      isOver = true;
    }

    boolean isOver() {
      return isOver;
    }

    /// Stands still until then, as after SIGSTOP.
    void standStillUntil(long nanos) {
      stillUntil = Math.max(stillUntil, nanos);
    }
  }

  /// Thrown at a moment where the process is to die.
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;

    Crash(String where) {
      super(where, null, false, false);
    }
  }

  RandomGenerator random() {
    return random;
  }

  long now() {
    return now;
  }

  /// Events that happened.
  long count() {
    return count;
  }

  void later(Life life, long delayNanos, Runnable action) {
    events.add(new Event(now + Math.max(0, delayNanos), order++, life, action));
  }

  /// Between the two, in nanoseconds.
  long between(long least, long most) {
    return least + random.nextLong(most - least + 1);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /// Lets the next event happen.
  ///
  /// @return false: there is none before that time
  boolean step(long untilNanos) {
    Event event = events.peek();
    if (event == null || event.at() > untilNanos) {
      now = Math.max(now, untilNanos);
      return false;
    }
    events.remove();
    now = Math.max(now, event.at());
    if (event.life().isOver) {
      return true;
    }
    if (event.life().stillUntil > now) {
      events.add(new Event(event.life().stillUntil, order++, event.life(), event.action()));
      return true;
    }
    count++;
    event.action().run();
    return true;
  }

  /// A fault took effect.
  void befell(Fault fault) {
    faults.merge(fault, 1, Integer::sum);
  }

  /// How often each fault took effect.
  Map<Fault, Integer> faults() {
    return faults;
  }

  /// Notes what happened, for the trace of a seed that failed.
  void note(Supplier<String> what) {
    if (isTracing) {
      trace.add("%10.3f s  %s".formatted(now / 1e9, what.get()));
      if (trace.size() > TRACED) {
        trace.removeFirst();
      }
    }
  }

  String trace() {
    return String.join("\n", trace);
  }

  /// The clocks of one machine or process: they begin anywhere, two of them differ by up to a
  /// twentieth in how fast they run, and its wall clock may be set.
  Clock clock() {
    return new Clock(between(0, 1000 * SECOND), 1 + (random.nextDouble() - 0.5) / 20.5);
  }

  /// See [World#clock].
  final class Clock implements TimeSource {
    private final long origin;
    private final double rate;
    private long setBackNanos;

    private Clock(long origin, double rate) {
      this.origin = origin;
      this.rate = rate;
    }

    @Override
    public Instant instant() {
      return BEGINNING.plusNanos(now - setBackNanos);
    }

    @Override
    public long monotonicNanos() {
      return origin + (long) (now * rate);
    }

    /// Sets the wall clock back by this much; negative: forward.
    void setBack(long nanos) {
      setBackNanos += nanos;
    }

    /// The real time in which this clock advances by `nanos`.
    long real(long nanos) {
      return (long) Math.ceil(nanos / rate) + 1;
    }
  }
}
