package io.headgate.agent.runtime;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.JobProcesses;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches how much memory the jobs have of the devices that they have slices of, and tells the
/// loop of those that have too much. Where a driver limits memory itself, it watches beside it.
///
/// Each device has a virtual thread of its own, so that one that does not answer hides no other.
public final class MemoryWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);

  /// One sample may catch a job between an allocation and the free that it is about to make.
  private static final int SAMPLES = 2;

  /// A device whose slices hold by themselves is looked at after so many intervals only: what there
  /// is to find is a job without a slice of it.
  private static final int INTERVALS_AT_EASE = 8;

  private final GpuDriver driver;
  private final JobProcesses processes;
  private final Settings settings;
  private final AgentInstruments instruments;
  private final Map<String, List<MemoryMeter.Use>> uses = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean closed; // guarded by lock

  /// How closely jobs are watched.
  ///
  /// @param interval between two samples; the second over the limit is one too many
  /// @param grace what a job has then for its callback and for SIGTERM together, before SIGKILL
  public record Settings(Duration interval, Duration grace) {}

  /// @param processes tells whose a process is
  MemoryWatch(
      GpuDriver driver, JobProcesses processes, Settings settings, AgentInstruments instruments) {
    this.driver = driver;
    this.processes = processes;
    this.settings = settings;
    this.instruments = instruments;
  }

  Settings settings() {
    return settings;
  }

  /// @param inputs told of who has too much
  void start(Consumer<Input> inputs) {
    if (driver.isSimulated()) {
      return;
    }
    for (DeviceInfo device : driver.devices()) {
      Thread.ofVirtual().name("watch " + device.uuid()).start(() -> watch(device.uuid(), inputs));
    }
  }

  /// Who had how much of which device at the last look. Any thread.
  List<MemoryMeter.Use> uses() {
    return uses.values().stream().flatMap(List::stream).toList();
  }

  /// There are slices that were not there before: a device that was at ease may have to be watched
  /// closely from now on.
  void slicesMade() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void watch(String device, Consumer<Input> inputs) {
    // Told of again when it should have gone, and some time for the telling.
    long between = settings.grace().dividedBy(settings.interval()) + SAMPLES;
    MemoryMeter meter = new MemoryMeter(SAMPLES, (int) Math.min(between, Integer.MAX_VALUE));
    boolean blind = false;
    while (pause(device)) {
      try {
        List<MemoryMeter.Use> sample = sample(device, driver.discover());
        uses.put(device, sample);
        for (MemoryMeter.Excess excess : meter.take(sample)) {
          LOG.warn("{}: {}", excess.attempt(), excess.words());
          instruments.enforced(Enforcement.EXCESS_FOUND);
          inputs.accept(new Input.OverLimit(excess.attempt(), excess.words()));
        }
        blind = false;
      } catch (GpuDriverException e) {
        if (!blind) {
          LOG.error("the memory of {} is not watched for now: {}", device, e.getMessage());
        }
        blind = true;
      }
    }
  }

  private static boolean isOn(String device, SlicePlan plan) {
    return plan.grant().deviceUuid().equals(device);
  }

  private static boolean isSoft(SlicePlan plan) {
    return !plan.isolation().satisfies(IsolationLevel.HARDWARE);
  }

  private List<MemoryMeter.Use> sample(String device, List<SlicePlan> plans) {
    SortedMap<AttemptKey, Long> limits = new TreeMap<>();
    boolean divided = false;
    for (SlicePlan plan : plans) {
      boolean here = isOn(device, plan);
      divided |= here;
      // Who has slices of other devices only has nothing to look for on this one.
      limits.merge(plan.attempt(), here ? plan.memoryLimitBytes() : 0, Long::sum);
    }
    if (!divided) {
      return List.of();
    }
    List<GpuProcess> using = driver.processes(device);
    Map<Long, AttemptKey> attempts =
        processes.attemptsOf(using.stream().map(GpuProcess::pid).toList(), limits.keySet());
    SortedMap<AttemptKey, Long> bytes = new TreeMap<>();
    for (GpuProcess process : using) {
      AttemptKey attempt = attempts.get(process.pid());
      if (attempt != null) {
        bytes.merge(attempt, process.bytes(), Long::sum);
      }
    }
    return bytes.entrySet().stream()
        .map(use ->
            new MemoryMeter.Use(
                use.getKey(), device, use.getValue(), limits.getOrDefault(use.getKey(), 0L)))
        .toList();
  }

  /// Waits until the device is to be looked at; false at the end.
  private boolean pause(String device) {
    long waited = 0;
    lock.lock();
    try {
      while (!closed) {
        long left = between(device).toNanos() - waited;
        if (left <= 0) {
          return true;
        }
        waited += left - changed.awaitNanos(left);
      }
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private Duration between(String device) {
    boolean atEase =
        driver.discover().stream().noneMatch(plan -> isOn(device, plan) && isSoft(plan));
    return atEase ? settings.interval().multipliedBy(INTERVALS_AT_EASE) : settings.interval();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
