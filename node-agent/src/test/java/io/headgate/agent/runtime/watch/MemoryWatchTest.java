package io.headgate.agent.runtime.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.agent.process.JobProcesses;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.GpuQuantity;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class MemoryWatchTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration INTERVAL = Duration.ofMillis(10);

  private final GpuDriver devices = new SimulatedGpuDriver(SimulatedGpus.parse("2xH100"), "n1");
  private static final int ROUNDS = 40;

  // Each watch has its own: the last round of one that was closed may still be running.
  private AtomicInteger rounds = new AtomicInteger();
  private Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();

  private List<SlicePlan> slices() {
    return devices.devices().stream()
        .map(device ->
            new SlicePlan(
                Fixtures.key("j" + device.index()),
                0,
                new SliceGrant(device.index(), device.uuid(), GpuQuantity.parse("1/2"), 0),
                "watched",
                IsolationLevel.REACTIVE,
                1))
        .toList();
  }

  private List<GpuProcess> noProcesses(String device) {
    return List.of();
  }

  /// This process has more of the first device than its slice.
  private List<GpuProcess> excess(String device) {
    return device.equals(firstDevice())
        ? List.of(new GpuProcess(ProcessHandle.current().pid(), 2))
        : List.of();
  }

  private List<GpuProcess> failure(String device) {
    if (device.equals(firstDevice())) {
      throw new IllegalStateException("a fault of the device");
    }
    return List.of();
  }

  private String firstDevice() {
    return devices.devices().getFirst().uuid();
  }

  private GpuDriver driver(
      IntPredicate failingRounds, Function<String, List<GpuProcess>> processes) {
    AtomicInteger round = rounds;
    Map<String, AtomicInteger> looks = asked;
    return (GpuDriver)
        Proxy.newProxyInstance(
            GpuDriver.class.getClassLoader(),
            new Class<?>[] {GpuDriver.class},
            (_, method, arguments) -> {
              switch (method.getName()) {
                case "isSimulated":
                  return false;
                case "realisedSlices":
                  if (failingRounds.test(round.incrementAndGet())) {
                    throw new IllegalStateException("a fault of the driver");
                  }
                  return slices();
                case "processes":
                  looks
                      .computeIfAbsent((String) arguments[0], _ -> new AtomicInteger())
                      .incrementAndGet();
                  return CompletableFuture.completedFuture(processes.apply((String) arguments[0]));
                default:
                  try {
                    return method.invoke(devices, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
              }
            });
  }

  @Test
  void goesOnAfterARoundAndADeviceThatFail() {
    try (MemoryWatch watch =
        new MemoryWatch(
            driver(round -> round == 1, this::failure),
            JobProcesses.ofContainers(_ -> Optional.empty()),
            new MemoryWatch.Settings(INTERVAL, INTERVAL),
            () -> {},
            TimeSource.system())) {
      watch.start(_ -> {});
      await()
          .atMost(PATIENCE)
          .until(() ->
              asked.size() == 2 && asked.values().stream().allMatch(times -> times.get() > 2));
    }
    assertThat(asked.keySet())
        .containsExactlyInAnyOrderElementsOf(
            devices.devices().stream().map(DeviceInfo::uuid).toList());
  }

  @Test
  void looksAtADeviceInEveryOtherRoundUntilAJobHasTooMuchOfIt() throws Exception {
    String last = devices.devices().getLast().uuid();
    assertThat(looks(this::noProcesses))
        .isEqualTo(Map.of(firstDevice(), ROUNDS / 2, last, ROUNDS / 2));
    assertThat(looks(this::excess)).isEqualTo(Map.of(firstDevice(), ROUNDS - 1, last, ROUNDS / 2));
  }

  /// @return how often each device was read within some rounds
  private Map<String, Integer> looks(Function<String, List<GpuProcess>> processes)
      throws Exception {
    rounds = new AtomicInteger();
    asked = new ConcurrentHashMap<>();
    Optional<Long> supervisor = ProcessHandle.current().parent().map(ProcessHandle::pid);
    try (MemoryWatch watch =
        new MemoryWatch(
            driver(number -> number > ROUNDS, processes),
            JobProcesses.ofContainers(
                key -> key.equals(Fixtures.key("j0")) ? supervisor : Optional.empty()),
            new MemoryWatch.Settings(INTERVAL, INTERVAL),
            () -> {},
            TimeSource.system())) {
      watch.start(_ -> {});
      await().atMost(PATIENCE).until(() -> rounds.get() > ROUNDS);
    }
    Map<String, Integer> looks = new HashMap<>();
    asked.forEach((device, times) -> looks.put(device, times.get()));
    return looks;
  }
}
