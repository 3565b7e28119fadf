package io.headgate.agent.runtime.watch;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.JobProcesses;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the memory that jobs use of their devices, and reports jobs that use too much to the
/// loop. Where a driver limits memory itself, it watches in addition.
///
/// One thread asks the devices, round after round, and waits for none. Each answer is handled on
/// the thread that brings it, so a device that does not answer hides no other. The rounds run all
/// the time, so any further work or thread costs a machine processor time for as long as it has
/// jobs.
public final class MemoryWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);

  /// One sample may catch a job between an allocation and the free that it is about to make.
  private static final int SAMPLES = 2;

  /// A device whose slices are hardware is read once in this many rounds. Only a job without a
  /// slice of it can use too much.
  private static final int ROUNDS_OF_HARDWARE = 8;

  /// Any other device is read once in this many rounds, until a job uses too much of it. Then each
  /// round reads it, so that the second sample follows after one interval.
  private static final int ROUNDS_WITHOUT_EXCESS = 2;

  /// Rounds without an answer until the watch logs it.
  private static final int ROUNDS_OF_SILENCE = 20;

  private final GpuDriver driver;
  private final JobProcesses processes;
  private final Settings settings;
  private final Runnable onExcess;
  private final TimeSource time;
  private final Map<String, List<MemoryMeter.Use>> uses = new ConcurrentHashMap<>();
  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("memory-watch").factory());

  /// How closely jobs are watched.
  ///
  /// @param interval between two samples of a job over its limit; the second ends the job
  /// @param grace the time of a job for its callback and for SIGTERM together, before SIGKILL
  public record Settings(Duration interval, Duration grace) {}

  /// The memory that each attempt's slices allow. Immutable.
  private static final class Shares {
    private final List<SlicePlan> plans;

    /// The attempts with slices.
    private final Set<AttemptKey> attempts = new HashSet<>();

    /// Bytes by device and attempt.
    private final Map<String, SortedMap<AttemptKey, Long>> limits = new HashMap<>();

    /// Devices with slices that are not hardware.
    private final Set<String> close = new HashSet<>();

    Shares(List<SlicePlan> plans) {
      this.plans = plans;
      for (SlicePlan plan : plans) {
        String device = plan.grant().deviceUuid();
        attempts.add(plan.attempt());
        limits
            .computeIfAbsent(device, _ -> new TreeMap<>())
            .merge(plan.attempt(), plan.memoryLimitBytes(), Long::sum);
        if (!plan.isolation().satisfies(IsolationLevel.HARDWARE)) {
          close.add(device);
        }
      }
    }
  }

  /// Prepares the watch; [#start] begins it.
  ///
  /// @param processes tells to which attempt a process belongs
  /// @param onExcess called for each excess that is found; any thread
  public MemoryWatch(
      GpuDriver driver,
      JobProcesses processes,
      Settings settings,
      Runnable onExcess,
      TimeSource time) {
    this.driver = driver;
    this.processes = processes;
    this.settings = settings;
    this.onExcess = onExcess;
    this.time = time;
  }

  public Settings settings() {
    return settings;
  }

  /// Begins the rounds, unless the machine has no real devices.
  ///
  /// @param inputs receives an input for each attempt above its limit
  public void start(Consumer<Input> inputs) {
    List<Look> looks =
        driver.devices().stream()
            .map(DeviceInfo::uuid)
            .map(uuid -> new Look(uuid, inputs))
            .toList();
    if (!driver.isSimulated() && !looks.isEmpty()) {
      long nanos = settings.interval().toNanos();
      var _ = rounds.scheduleWithFixedDelay(new Rounds(looks), nanos, nanos, TimeUnit.NANOSECONDS);
    }
  }

  /// The memory of each device by attempt at the latest look. Any thread.
  public List<MemoryMeter.Use> uses() {
    return uses.values().stream().flatMap(List::stream).toList();
  }

  /// Confined to the thread of the rounds.
  private final class Rounds implements Runnable {
    private final List<Look> looks;
    private Shares shares = new Shares(List.of());
    private int round;

    /// Kinds of failures already logged, so that each is logged once.
    private final Set<Class<?>> failures = new HashSet<>();

    Rounds(List<Look> looks) {
      this.looks = looks;
    }

    @Override
    public void run() {
      try {
        watch();
      } catch (RuntimeException e) {
        // An exception thrown further would silently end the rounds of all devices.
        if (failures.add(e.getClass())) {
          LOG.error("a round of the memory watch failed; the next round follows", e);
        }
      }
    }

    private void watch() {
      List<SlicePlan> plans = driver.realisedSlices();
      if (!plans.equals(shares.plans)) {
        shares = new Shares(plans);
      }
      round = (round + 1) % ROUNDS_OF_HARDWARE;
      for (int i = 0; i < looks.size(); i++) {
        // Not all of them at once.
        if ((round + i) % looks.get(i).rounds(shares) == 0) {
          looks.get(i).begin(shares);
        }
      }
    }
  }

  /// The readings of one device, one at a time. Members run on the thread of the answer, unless
  /// their comment assigns them to the rounds.
  private final class Look {
    private final String device;
    private final Consumer<Input> inputs;
    private final MemoryMeter meter;
    private final ProcessOwners owners = new ProcessOwners(processes, time);

    /// Whether an answer is still awaited.
    private final AtomicBoolean isAsked = new AtomicBoolean();

    private final AtomicBoolean isBlind = new AtomicBoolean();
    private final AtomicBoolean hasExcess = new AtomicBoolean();

    /// Rounds since it was asked; of the rounds.
    private int silent;

    Look(String device, Consumer<Input> inputs) {
      this.device = device;
      this.inputs = inputs;
      // An excess is reported again once the job's grace is over and two more samples were taken,
      // in case the first report was lost.
      long between = settings.grace().dividedBy(settings.interval()) + SAMPLES;
      this.meter = new MemoryMeter(SAMPLES, (int) Math.min(between, Integer.MAX_VALUE));
    }

    /// The number of rounds per reading; called by the rounds.
    int rounds(Shares shares) {
      if (hasExcess.get()) {
        return 1;
      }
      return shares.close.contains(device) ? ROUNDS_WITHOUT_EXCESS : ROUNDS_OF_HARDWARE;
    }

    /// Reads the device, unless a reading is in progress; called by the rounds.
    void begin(Shares shares) {
      @Nullable SortedMap<AttemptKey, Long> limits = shares.limits.get(device);
      if (limits == null) {
        uses.remove(device);
      } else if (isAsked.compareAndSet(false, true)) {
        silent = 0;
        ask(shares.attempts, limits);
      } else if (++silent == ROUNDS_OF_SILENCE) {
        blinded("it has not answered %d reads in a row".formatted(silent));
      }
    }

    private void ask(Set<AttemptKey> attempts, SortedMap<AttemptKey, Long> limits) {
      try {
        var _ =
            driver
                .processes(device)
                .thenAccept(using -> see(using, attempts, limits))
                .whenComplete((_, failure) -> {
                  if (failure instanceof CompletionException) {
                    blinded(String.valueOf(failure.getCause()));
                  }
                  isAsked.set(false);
                });
      } catch (RuntimeException e) {
        // Caught here, so that the other devices are still asked.
        blinded(e.toString());
        isAsked.set(false);
      }
    }

    private void blinded(String why) {
      if (isBlind.compareAndSet(false, true)) {
        LOG.error("the memory of GPU {} is not watched at present: {}", device, why);
      }
    }

    private void see(
        List<GpuProcess> using, Set<AttemptKey> attempts, SortedMap<AttemptKey, Long> limits) {
      List<MemoryMeter.Use> sample = sample(using, attempts, limits);
      if (isAnyExcess(sample)) {
        // Owners are asked anew, so that no job is stopped on stale knowledge.
        owners.forget();
        sample = sample(using, attempts, limits);
      }
      hasExcess.set(isAnyExcess(sample));
      uses.put(device, sample);
      for (MemoryMeter.Excess excess : meter.take(sample)) {
        LOG.warn("{}: {}", excess.attempt(), excess.words());
        onExcess.run();
        inputs.accept(new Input.OverLimit(excess.attempt(), excess.words()));
      }
      isBlind.set(false);
    }

    private static boolean isAnyExcess(List<MemoryMeter.Use> sample) {
      return sample.stream().anyMatch(MemoryMeter.Use::isExcess);
    }

    private List<MemoryMeter.Use> sample(
        List<GpuProcess> using, Set<AttemptKey> attempts, SortedMap<AttemptKey, Long> limits) {
      Map<Long, AttemptKey> owned =
          owners.of(using.stream().map(GpuProcess::pid).toList(), attempts);
      SortedMap<AttemptKey, Long> bytes = new TreeMap<>();
      for (GpuProcess process : using) {
        @Nullable AttemptKey attempt = owned.get(process.pid());
        if (attempt != null) {
          bytes.merge(attempt, process.bytes(), Long::sum);
        }
      }
      // An attempt without slices of this device may have no memory of it.
      return bytes.entrySet().stream()
          .map(use ->
              new MemoryMeter.Use(
                  use.getKey(), device, use.getValue(), limits.getOrDefault(use.getKey(), 0L)))
          .toList();
    }
  }

  @Override
  public void close() {
    rounds.shutdownNow();
  }
}
