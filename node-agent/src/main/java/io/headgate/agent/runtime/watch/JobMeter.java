package io.headgate.agent.runtime.watch;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.process.JobUsage;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// CPU and memory that jobs use, for metrics. A job is no attribute of a metric, because jobs are
/// many: each is counted under its queue and its slot, the smallest free number on the machine. A
/// slot's counters continue with its next job. Reads only on demand, while jobs begin and end.
/// Thread-safe.
public final class JobMeter {
  private final Function<Collection<AttemptKey>, Map<AttemptKey, JobUsage>> reader;

  /// Held while all are read, so that readings are counted in their order.
  private final ReentrantLock reading = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private final Map<AttemptKey, Running> running = new LinkedHashMap<>();
  private final Map<Slot, JobUsage> taken = new LinkedHashMap<>();

  /// Jobs in succession that share counters.
  ///
  /// @param number from 0
  public record Slot(String tenant, String queue, int number) {}

  private record Running(Slot slot, JobUsage last) {}

  public JobMeter(Function<Collection<AttemptKey>, Map<AttemptKey, JobUsage>> reader) {
    this.reader = reader;
  }

  /// Begins to count the attempt.
  public void began(Assignment assignment) {
    lock.lock();
    try {
      AttemptKey key = assignment.key();
      if (!running.containsKey(key)) {
        Slot slot = new Slot(key.job().tenant(), assignment.queue(), free());
        running.put(key, new Running(slot, JobUsage.NONE));
      }
    } finally {
      lock.unlock();
    }
  }

  private int free() {
    List<Integer> numbers = running.values().stream().map(one -> one.slot().number()).toList();
    int number = 0;
    while (numbers.contains(number)) {
      number++;
    }
    return number;
  }

  /// Counts the attempt for the last time: its cgroup is about to go.
  public void ended(AttemptKey key) {
    Map<AttemptKey, JobUsage> now = reader.apply(List.of(key));
    lock.lock();
    try {
      count(now);
      Running last = running.remove(key);
      if (last != null) {
        taken.computeIfPresent(
            last.slot(), (_, sum) -> new JobUsage(sum.cpuNanos(), 0, sum.oomKills()));
      }
    } finally {
      lock.unlock();
    }
  }

  /// The queue of the attempt's job; empty: the attempt does not run.
  public String queue(AttemptKey key) {
    lock.lock();
    try {
      Running found = running.get(key);
      return found == null ? "" : found.slot().queue();
    } finally {
      lock.unlock();
    }
  }

  /// The usage of each slot so far, and its present memory.
  public Map<Slot, JobUsage> read() {
    reading.lock();
    try {
      Map<AttemptKey, JobUsage> now = reader.apply(attempts());
      lock.lock();
      try {
        count(now);
        return new LinkedHashMap<>(taken);
      } finally {
        lock.unlock();
      }
    } finally {
      reading.unlock();
    }
  }

  private List<AttemptKey> attempts() {
    lock.lock();
    try {
      return List.copyOf(running.keySet());
    } finally {
      lock.unlock();
    }
  }

  private void count(Map<AttemptKey, JobUsage> now) {
    now.forEach((key, usage) -> {
      @Nullable Running before = running.get(key);
      if (before != null) {
        running.put(key, new Running(before.slot(), usage));
        JobUsage sum = taken.getOrDefault(before.slot(), JobUsage.NONE);
        taken.put(
            before.slot(),
            new JobUsage(
                sum.cpuNanos() + Math.max(0, usage.cpuNanos() - before.last().cpuNanos()),
                usage.memoryBytes(),
                sum.oomKills() + Math.max(0, usage.oomKills() - before.last().oomKills())));
      }
    });
  }
}
