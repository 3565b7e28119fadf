package io.headgate.agent.driver;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.process.CudaCheckpoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The GPUs of several makers in one machine, each with its own driver. The devices of the second
/// are numbered on from the last of the first, which may have gaps. A job has devices of one maker:
/// no program uses both as one.
public final class CombinedDriver implements GpuDriver {
  private final List<GpuDriver> drivers;

  /// The offset of each driver's device numbers. It stays when devices go.
  private final List<Integer> offsets;

  /// @param drivers the first one's word counts where several say something of the same environment
  ///   variable
  public CombinedDriver(List<GpuDriver> drivers) {
    this.drivers = List.copyOf(drivers);
    List<Integer> found = new ArrayList<>();
    int next = 0;
    for (GpuDriver driver : drivers) {
      found.add(next);
      next += driver.devices().stream().mapToInt(device -> device.index() + 1).max().orElse(0);
    }
    this.offsets = List.copyOf(found);
  }

  @Override
  public String description() {
    return drivers.stream().map(GpuDriver::description).collect(Collectors.joining(", "));
  }

  @Override
  public String description(String deviceUuid) {
    return of(deviceUuid).description(deviceUuid);
  }

  @Override
  public boolean isSimulated() {
    return false;
  }

  @Override
  public List<DeviceInfo> devices() {
    List<DeviceInfo> devices = new ArrayList<>();
    for (int i = 0; i < drivers.size(); i++) {
      int offset = offsets.get(i);
      drivers
          .get(i)
          .devices()
          .forEach(device -> devices.add(device.withIndex(offset + device.index())));
    }
    return List.copyOf(devices);
  }

  @Override
  public void prepare(Set<String> held) {
    drivers.forEach(driver -> driver.prepare(held));
  }

  @Override
  public void jobsHaveMounts(Path program) {
    drivers.forEach(driver -> driver.jobsHaveMounts(program));
  }

  @Override
  public List<SlicePlan> plan(AttemptKey attempt, List<SliceGrant> grants) {
    Set<GpuDriver> makers = new LinkedHashSet<>();
    grants.forEach(grant -> makers.add(of(grant.deviceUuid())));
    if (makers.size() > 1) {
      throw new GpuDriverException(
          "its GPUs are of different makers (%s); have its profile or pool name a model"
              .formatted(
                  makers.stream().map(GpuDriver::description).collect(Collectors.joining(", "))));
    }
    return makers.isEmpty() ? List.of() : makers.iterator().next().plan(attempt, grants);
  }

  @Override
  public void requireRoom(List<SlicePlan> plans) {
    drivers.forEach(driver -> driver.requireRoom(own(driver, plans)));
  }

  @Override
  public void recover(List<SlicePlan> recorded) {
    drivers.forEach(driver -> driver.recover(own(driver, recorded)));
  }

  @Override
  public void realise(SlicePlan plan) {
    of(plan.grant().deviceUuid()).realise(plan);
  }

  @Override
  public void release(SlicePlan plan) {
    Optional<GpuDriver> driver = drivers.stream().filter(one -> one.owns(plan)).findFirst();
    if (driver.isPresent()) {
      driver.get().release(plan);
    }
    // Else it is of a device that is gone, on which nothing was made.
  }

  @Override
  public boolean owns(SlicePlan plan) {
    return drivers.stream().anyMatch(driver -> driver.owns(plan));
  }

  @Override
  public List<SlicePlan> realisedSlices() {
    return all(GpuDriver::realisedSlices);
  }

  @Override
  public CompletableFuture<List<GpuProcess>> processes(String deviceUuid) {
    return of(deviceUuid).processes(deviceUuid);
  }

  @Override
  public DeviceReading read(String deviceUuid) {
    return find(deviceUuid)
        .map(driver -> driver.read(deviceUuid))
        .orElseGet(() -> DeviceReading.of(new DeviceSign.Silent(hasNone(deviceUuid))));
  }

  @Override
  public Optional<Map<AttemptKey, Double>> computing(
      String deviceUuid, Function<Collection<Long>, Map<Long, AttemptKey>> owners) {
    return find(deviceUuid).flatMap(driver -> driver.computing(deviceUuid, owners));
  }

  @Override
  public void listen(DeviceListener listener) {
    drivers.forEach(driver -> driver.listen(listener));
  }

  @Override
  public Optional<CudaCheckpoint> checkpoint(List<SlicePlan> slices) {
    return slices.isEmpty()
        ? Optional.empty()
        : of(slices.getFirst().grant().deviceUuid()).checkpoint(slices);
  }

  @Override
  public Map<String, String> environment(List<SlicePlan> slices) {
    Map<String, String> environment = new HashMap<>();
    for (GpuDriver driver : drivers) {
      driver.environment(own(driver, slices)).forEach(environment::putIfAbsent);
    }
    return environment;
  }

  @Override
  public List<DeviceNode> deviceNodes(List<SlicePlan> slices) {
    return all(driver -> driver.deviceNodes(own(driver, slices)));
  }

  @Override
  public SlicePaths paths(List<SlicePlan> slices) {
    List<SlicePaths> paths =
        drivers.stream().map(driver -> driver.paths(own(driver, slices))).toList();
    return new SlicePaths(
        paths.stream().flatMap(one -> one.hidden().stream()).toList(),
        paths.stream().flatMap(one -> one.shown().stream()).toList(),
        paths.stream().flatMap(one -> one.sharedMemory().stream()).findFirst());
  }

  @Override
  public void close() {
    drivers.forEach(GpuDriver::close);
  }

  private <T> List<T> all(Function<GpuDriver, List<T>> each) {
    return drivers.stream().flatMap(driver -> each.apply(driver).stream()).toList();
  }

  private static List<SlicePlan> own(GpuDriver driver, List<SlicePlan> plans) {
    return plans.stream().filter(driver::owns).toList();
  }

  private GpuDriver of(String deviceUuid) {
    return find(deviceUuid).orElseThrow(() -> new GpuDriverException(hasNone(deviceUuid)));
  }

  private Optional<GpuDriver> find(String deviceUuid) {
    return drivers.stream()
        .filter(driver -> devices(driver).anyMatch(deviceUuid::equals))
        .findFirst();
  }

  private static String hasNone(String deviceUuid) {
    return "this machine has no GPU " + deviceUuid;
  }

  private static Stream<String> devices(GpuDriver driver) {
    return driver.devices().stream().map(DeviceInfo::uuid);
  }
}
