package io.headgate.agent.runtime.watch;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptUse;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.core.UseMeter;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.JobProcesses;
import io.headgate.kit.time.TimeSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Measures the use that attempts make of their slices, from the readings of the [DeviceWatch]: no
/// device is read more often for it. Thread-safe.
public final class UseWatch {
  private static final Logger LOG = LoggerFactory.getLogger(UseWatch.class);

  /// Ended attempts whose use may not have been reported yet.
  private static final int MAX_ENDED = 256;

  private final GpuDriver driver;
  private final JobProcesses processes;
  private final Supplier<List<MemoryMeter.Use>> memory;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private final UseMeter meter = new UseMeter();
  private final Map<AttemptKey, AttemptUse> ended = new LinkedHashMap<>();

  /// @param processes tells to which attempt a process belongs
  /// @param memory the device memory of attempts at the latest look
  public UseWatch(
      GpuDriver driver,
      JobProcesses processes,
      Supplier<List<MemoryMeter.Use>> memory,
      TimeSource time) {
    this.driver = driver;
    this.processes = processes;
    this.memory = memory;
    this.time = time;
  }

  /// The attempt was started, or found again.
  public void began(AttemptKey key, List<SlicePlan> slices) {
    if (slices.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      meter.began(key, slices.stream().map(UseWatch::part).toList(), time.monotonicNanos());
    } finally {
      lock.unlock();
    }
  }

  /// Takes the reading of a device. Waits for the driver, so only the device's own thread calls it.
  public void read(String uuid, DeviceReading reading) {
    List<SlicePlan> plans =
        driver.realisedSlices().stream()
            .filter(plan -> plan.grant().deviceUuid().equals(uuid))
            .toList();
    Set<AttemptKey> attempts = new HashSet<>();
    plans.forEach(plan -> attempts.add(plan.attempt()));
    if (attempts.isEmpty()) {
      return;
    }
    Optional<Map<AttemptKey, Double>> byAttempt = Optional.empty();
    try {
      byAttempt = driver.computing(uuid, pids -> processes.attemptsOf(pids, attempts));
    } catch (GpuDriverException e) {
      LOG.debug("the use of GPU {} by attempt is unknown: {}", uuid, e.getMessage());
    }
    Map<AttemptKey, Long> bytes = new HashMap<>();
    for (MemoryMeter.Use use : memory.get()) {
      if (use.deviceUuid().equals(uuid)) {
        bytes.merge(use.attempt(), use.bytes(), Long::sum);
      }
    }
    lock.lock();
    try {
      meter.take(
          new UseMeter.Sample(
              uuid, reading.figures().utilization(), byAttempt, bytes, time.monotonicNanos()),
          plans.stream().map(UseWatch::part).toList());
    } finally {
      lock.unlock();
    }
  }

  /// None of its processes runs any more.
  public void ended(AttemptKey key) {
    lock.lock();
    try {
      meter.use(key).map(AttemptUse::asLast).ifPresent(use -> ended.put(key, use));
      meter.ended(key);
      while (ended.size() > MAX_ENDED) {
        ended.remove(ended.keySet().iterator().next());
      }
    } finally {
      lock.unlock();
    }
  }

  /// The use of every attempt that was measured, and of some that have ended.
  public List<AttemptUse> all() {
    lock.lock();
    try {
      Map<AttemptKey, AttemptUse> all = new LinkedHashMap<>(ended);
      meter.attempts().forEach(key -> meter.use(key).ifPresent(use -> all.put(key, use)));
      return List.copyOf(all.values());
    } finally {
      lock.unlock();
    }
  }

  private static UseMeter.Part part(SlicePlan plan) {
    return new UseMeter.Part(
        plan.name(), plan.attempt(), plan.grant().deviceUuid(), plan.grant().gpus());
  }
}
