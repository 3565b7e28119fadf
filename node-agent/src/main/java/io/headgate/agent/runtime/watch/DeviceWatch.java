package io.headgate.agent.runtime.watch;

import io.headgate.agent.core.DeviceCondition;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.HealthRules;
import io.headgate.agent.core.Input;
import io.headgate.agent.driver.DeviceListener;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the health of the machine's devices. It reads each at an interval, receives the errors
/// that drivers report, and tells when a device's condition changes. Thread-safe.
///
/// Each device has a virtual thread of its own, so that a silent device does not hide others. An
/// error counts against its device until the agent restarts: a reset takes the agent out of the
/// library anyway, and jobs do not notice either.
public final class DeviceWatch implements DeviceListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceWatch.class);

  private final GpuDriver driver;
  private final Duration interval;
  private final TimeSource time;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final List<BiConsumer<String, DeviceReading>> readers = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<String, WatchedDevice> devices = new LinkedHashMap<>(); // guarded by lock
  private @Nullable Consumer<Input> inputs; // guarded by lock
  private boolean closed; // guarded by lock

  /// A device as it was seen last.
  ///
  /// @param condition healthy until the first reading
  /// @param figures of the last reading
  public record Seen(
      DeviceInfo device, DeviceCondition condition, DeviceReading.Figures figures, Counts counts) {}

  /// Counters of one device since the agent started.
  ///
  /// @param xids how often it reported each error, also errors that jobs caused
  /// @param lastXid its latest error; 0: none
  /// @param closings how often it was closed to new jobs
  public record Counts(SortedMap<Integer, Long> xids, int lastXid, long closings) {}

  /// @param interval between two readings of a device
  public DeviceWatch(GpuDriver driver, Duration interval, TimeSource time) {
    this.driver = driver;
    this.interval = interval;
    this.time = time;
    driver
        .devices()
        .forEach(device -> devices.put(device.uuid(), new WatchedDevice(device.index())));
  }

  /// Begins to watch.
  ///
  /// @param to receives each device with a new verdict
  public void start(Consumer<Input> to) {
    List<String> uuids;
    lock.lock();
    try {
      inputs = to;
      uuids = List.copyOf(devices.keySet());
    } finally {
      lock.unlock();
    }
    if (uuids.isEmpty()) {
      return;
    }
    driver.listen(this);
    uuids.forEach(uuid -> Thread.ofVirtual().name("health " + uuid).start(() -> watch(uuid)));
  }

  /// Calls the listener after each change of a condition. It must not wait.
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /// Passes on each reading of a device, on the thread that read it.
  public void onReading(BiConsumer<String, DeviceReading> reader) {
    readers.add(reader);
  }

  /// How the devices are, by index.
  public List<Seen> seen() {
    lock.lock();
    try {
      return driver.devices().stream().flatMap(info -> seen(info).stream()).toList();
    } finally {
      lock.unlock();
    }
  }

  private Optional<Seen> seen(DeviceInfo info) {
    return Optional.ofNullable(devices.get(info.uuid())).map(device -> device.seen(info));
  }

  /// Waits until each device was read once, but not for ever.
  public void awaitFirst(Duration patience) throws InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (!closed && left > 0 && !devices.values().stream().allMatch(WatchedDevice::isRead)) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private void watch(String uuid) {
    while (isOpen()) {
      look(uuid);
      if (!pause(uuid)) {
        return;
      }
    }
  }

  /// Reads a device now. A change is reported before this returns.
  public void look(String uuid) {
    DeviceReading reading = driver.read(uuid);
    change(uuid, device -> device.read(reading));
    readers.forEach(reader -> reader.accept(uuid, reading));
  }

  @Override
  public void reported(String uuid, DeviceSign.Xid error) {
    if (HealthRules.isOfTheDevice(error)) {
      LOG.error("GPU {} reports an error: XID {}", uuid, error.number());
    } else {
      LOG.info("GPU {} reports an error that a program caused: XID {}", uuid, error.number());
    }
    change(uuid, device -> device.reported(error));
    stirred(uuid);
  }

  @Override
  public void stirred(String uuid) {
    change(uuid, WatchedDevice::stir);
  }

  /// A slice of the device cannot be removed for now.
  ///
  /// @param slice names it
  public void stuck(String uuid, String slice, String problem) {
    change(uuid, device -> device.stuck(slice, problem));
  }

  /// The slice is removed.
  public void freed(String uuid, String slice) {
    change(uuid, device -> device.freed(slice));
  }

  /// The device refused a slice.
  public void refused(String uuid, String problem) {
    change(uuid, device -> device.refused(problem, time.monotonicNanos()));
  }

  /// Slices of the device were made.
  public void made(String uuid) {
    change(uuid, WatchedDevice::made);
  }

  private void change(String uuid, Consumer<WatchedDevice> change) {
    boolean news;
    lock.lock();
    try {
      @Nullable WatchedDevice device = devices.get(uuid);
      if (device == null) {
        return;
      }
      change.accept(device);
      news = device.judge(time.monotonicNanos());
      if (news) {
        DeviceCondition condition = device.condition();
        LOG.warn(
            "GPU {} ({}) is {}{}",
            device.index(),
            uuid,
            condition.health(),
            condition.isHealthy() ? "" : ": " + condition.cause());
        if (inputs != null) {
          // Reported in the order of the verdicts.
          inputs.accept(new Input.DeviceJudged(uuid, condition));
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (news) {
      listeners.forEach(Runnable::run);
    }
  }

  private boolean isOpen() {
    lock.lock();
    try {
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /// Waits for the interval, or until the device stirs; false at the end.
  private boolean pause(String uuid) {
    lock.lock();
    try {
      WatchedDevice device = devices.get(uuid);
      long left = interval.toNanos();
      while (!closed && left > 0 && device != null && !device.isStirring()) {
        left = changed.awaitNanos(left);
      }
      if (device != null) {
        device.calm();
      }
      return !closed;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /// Ends the watch; what hangs in a driver is left alone.
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
