package io.headgate.agent.driver.simulated;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceBook;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.type.GpuQuantity;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Devices that do not exist, for trying Headgate out and for its tests.
///
/// Jobs run for real, their GPUs do not, and nothing separates them: the isolation is reported as
/// none, and every device says `SIM`. Only the book-keeping is real: no device is ever given away
/// more than once.
public final class SimulatedGpuDriver implements GpuDriver {
  private static final String MECHANISM = "simulated";
  private static final double IDLE_CELSIUS = 30;
  private static final double BUSY_CELSIUS = 40;
  private static final double IDLE_WATTS = 70;
  private static final double BUSY_WATTS = 500;
  private static final double LEAST_ACTIVITY = 0.6;
  private static final int STEPS = 36;

  private final List<DeviceInfo> devices;
  private final SliceBook book;
  private final Object lock = new Object();

  /// Existing slices by attempt and number; guarded by `lock`.
  private final SortedMap<String, SlicePlan> slices = new TreeMap<>();

  /// @param node gives the devices their identity: the same node has the same devices at every
  ///   start
  public SimulatedGpuDriver(SimulatedGpus gpus, String node) {
    List<DeviceInfo> made = new ArrayList<>();
    for (int index = 0; index < gpus.count(); index++) {
      String seed = node + "/" + index + "/" + gpus.model();
      made.add(
          new DeviceInfo(
              index,
              "SIM-" + UUID.nameUUIDFromBytes(seed.getBytes(StandardCharsets.UTF_8)),
              gpus.model(),
              gpus.memoryBytes(),
              gpus.geometry(),
              IsolationLevel.NONE));
    }
    this.devices = List.copyOf(made);
    this.book = new SliceBook(devices);
  }

  @Override
  public String description() {
    return MECHANISM;
  }

  @Override
  public boolean isSimulated() {
    return true;
  }

  @Override
  public List<DeviceInfo> devices() {
    return devices;
  }

  @Override
  public List<SlicePlan> plan(AttemptKey attempt, List<SliceGrant> grants) {
    List<SlicePlan> plans = new ArrayList<>();
    for (SliceGrant grant : grants) {
      DeviceInfo device =
          devices.stream()
              .filter(d -> d.index() == grant.deviceIndex())
              .findFirst()
              .orElseThrow(() -> new GpuDriverException("no device " + grant.deviceIndex()));
      plans.add(
          new SlicePlan(
              attempt,
              plans.size(),
              grant,
              MECHANISM,
              IsolationLevel.NONE,
              grant.effectiveMemoryBytes(device)));
    }
    return plans;
  }

  @Override
  public void requireRoom(List<SlicePlan> plans) {
    // Simulated devices have no foreign slices.
  }

  @Override
  public void recover(List<SlicePlan> recorded) {
    // Nothing outlives the process.
  }

  @Override
  public void realise(SlicePlan plan) {
    synchronized (lock) {
      if (slices.containsKey(plan.name())) {
        return;
      }
      List<SliceGrant> held = slices.values().stream().map(SlicePlan::grant).toList();
      Optional<String> refusal = book.refusal(held, List.of(plan.grant()), IsolationLevel.NONE);
      if (refusal.isPresent()) {
        throw new GpuDriverException(refusal.get());
      }
      slices.put(plan.name(), plan);
    }
  }

  @Override
  public void release(SlicePlan plan) {
    synchronized (lock) {
      slices.remove(plan.name());
    }
  }

  @Override
  public List<SlicePlan> realisedSlices() {
    synchronized (lock) {
      return List.copyOf(slices.values());
    }
  }

  @Override
  public CompletableFuture<List<GpuProcess>> processes(String deviceUuid) {
    return CompletableFuture.completedFuture(List.of());
  }

  /// The reading of a device that is busy with its jobs and never fails.
  @Override
  public DeviceReading read(String deviceUuid) {
    List<SlicePlan> given =
        realisedSlices().stream()
            .filter(plan -> plan.grant().deviceUuid().equals(deviceUuid))
            .toList();
    long memory = given.stream().mapToLong(SlicePlan::memoryLimitBytes).sum();
    double busy = Math.min(1, given.stream().mapToDouble(SimulatedGpuDriver::computing).sum());
    OptionalLong limit =
        devices.stream()
            .filter(device -> device.uuid().equals(deviceUuid))
            .mapToLong(DeviceInfo::memoryBytes)
            .findFirst();
    return new DeviceReading(
        List.of(),
        new DeviceReading.Figures(
            OptionalDouble.of(busy),
            OptionalLong.of(memory),
            limit,
            OptionalDouble.of(IDLE_CELSIUS + busy * BUSY_CELSIUS),
            OptionalDouble.of(IDLE_WATTS + busy * BUSY_WATTS),
            OptionalDouble.empty(),
            OptionalLong.of(0),
            OptionalLong.of(0)));
  }

  @Override
  public Optional<Map<AttemptKey, Double>> computing(
      String deviceUuid, Function<Collection<Long>, Map<Long, AttemptKey>> owners) {
    return Optional.of(
        realisedSlices().stream()
            .filter(plan -> plan.grant().deviceUuid().equals(deviceUuid))
            .collect(
                Collectors.toMap(SlicePlan::attempt, SimulatedGpuDriver::computing, Double::sum)));
  }

  /// The part of its device's time for which a slice computes: most of its own part, and constant,
  /// so that a view of many jobs looks like one of real jobs.
  private static double computing(SlicePlan plan) {
    double part = plan.grant().gpus().units() / (double) GpuQuantity.UNITS_PER_GPU;
    double activity = LEAST_ACTIVITY + Math.floorMod(plan.name().hashCode(), STEPS) / 100.0;
    return part * activity;
  }

  @Override
  public Map<String, String> environment(List<SlicePlan> plans) {
    String uuids =
        plans.stream()
            .sorted(Comparator.comparingInt(SlicePlan::number))
            .map(plan -> plan.grant().deviceUuid())
            .collect(Collectors.joining(","));
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("CUDA_VISIBLE_DEVICES", uuids);
    environment.put("NVIDIA_VISIBLE_DEVICES", uuids.isEmpty() ? "void" : uuids);
    return environment;
  }

  @Override
  public List<DeviceNode> deviceNodes(List<SlicePlan> slices) {
    return List.of();
  }

  @Override
  public void close() {
    // Nothing to release.
  }
}
