package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.agent.process.JobProcesses;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.GpuQuantity;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemoryWatchTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration INTERVAL = Duration.ofMillis(10);

  private final GpuDriver devices = new SimulatedGpuDriver(SimulatedGpus.parse("2xH100"), "n1");
  private final AtomicInteger rounds = new AtomicInteger();
  private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();

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

  /// Fails in its first round, and at each question for the first device.
  private GpuDriver faulty() {
    String broken = devices.devices().getFirst().uuid();
    return (GpuDriver)
        Proxy.newProxyInstance(
            GpuDriver.class.getClassLoader(),
            new Class<?>[] {GpuDriver.class},
            (_, method, arguments) -> {
              switch (method.getName()) {
                case "isSimulated":
                  return false;
                case "discover":
                  if (rounds.incrementAndGet() == 1) {
                    throw new IllegalStateException("a fault of the driver");
                  }
                  return slices();
                case "processes":
                  asked
                      .computeIfAbsent((String) arguments[0], _ -> new AtomicInteger())
                      .incrementAndGet();
                  if (arguments[0].equals(broken)) {
                    throw new IllegalStateException("a fault of the device");
                  }
                  return CompletableFuture.completedFuture(List.of());
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
    AgentInstruments instruments =
        new AgentInstruments(Telemetry.disabled(), TimeSource.system(), "n1");
    try (MemoryWatch watch =
        new MemoryWatch(
            faulty(),
            JobProcesses.ofContainers(_ -> Optional.empty()),
            new MemoryWatch.Settings(INTERVAL, INTERVAL),
            instruments,
            TimeSource.system())) {
      watch.start(_ -> {});
      await()
          .atMost(PATIENCE)
          .until(() ->
              asked.size() == 2 && asked.values().stream().allMatch(times -> times.get() > 2));
    } finally {
      instruments.close();
    }
    assertThat(asked.keySet())
        .containsExactlyInAnyOrderElementsOf(
            devices.devices().stream().map(DeviceInfo::uuid).toList());
  }
}
