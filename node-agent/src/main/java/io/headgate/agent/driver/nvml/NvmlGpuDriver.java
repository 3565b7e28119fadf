package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.UsableGpus.on;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.DeviceListener;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.NativeThread;
import io.headgate.agent.driver.SlicePaths;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.SliceRegistry;
import io.headgate.agent.process.CudaCheckpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The driver of NVIDIA GPUs. It reads their properties once, at the start. A later change of a MIG
/// mode needs a restart of the agent, which no job notices.
public final class NvmlGpuDriver implements GpuDriver {
  private static final Logger LOG = LoggerFactory.getLogger(NvmlGpuDriver.class);

  /// How the driver works.
  ///
  /// @param library name or path of NVML
  /// @param patience how long a call may take before it counts as failed
  /// @param mig what of MIG is changed
  /// @param cgroups where the cgroup of an attempt is, by the name of the attempt; empty: there are
  ///   none
  /// @param mps how parts are made by MPS, where there is nothing stronger
  /// @param kernel what it shows of devices
  /// @param checkpoint suspends programs
  /// @param provesRelease whether a slice is free only when the driver shows that nothing of its
  ///   job is left in the GPU's memory
  public record Settings(
      String library,
      Duration patience,
      MigSettings mig,
      Function<String, Optional<Path>> cgroups,
      MpsSettings mps,
      KernelDevices kernel,
      Optional<CudaCheckpoint> checkpoint,
      boolean provesRelease) {
    public Settings(
        String library,
        Duration patience,
        MigSettings mig,
        Function<String, Optional<Path>> cgroups,
        MpsSettings mps,
        KernelDevices kernel) {
      this(library, patience, mig, cgroups, mps, kernel, Optional.empty(), true);
    }

    public Settings(
        String library,
        Duration patience,
        MigSettings mig,
        Function<String, Optional<Path>> cgroups) {
      this(library, patience, mig, cgroups, MpsSettings.OFF, KernelDevices.HERE);
    }
  }

  private final Settings settings;
  private final NvmlSteps steps;
  private final Nvml nvml;
  private final NvmlHealth health;
  private final ProcessUtilization utilization;
  private final NativeThread thread;
  private final String version;
  private final UsableGpus gpus;
  private final MpsSlices mps;
  private final SliceMechanisms mechanisms;
  private final NvidiaFiles files;

  /// The slices, with the devices as a job's libraries know them.
  private final SliceRegistry<String> slices = new SliceRegistry<>();

  private final AtomicReference<NvmlEvents> events = new AtomicReference<>();

  private NvmlGpuDriver(
      Settings settings, NvmlSteps steps, NvmlLoader.Opened opened, NativeThread thread) {
    this.settings = settings;
    this.steps = steps;
    this.nvml = opened.nvml();
    this.health = opened.health();
    this.utilization = new ProcessUtilization(health.api(), health.has());
    this.thread = thread;
    this.version = thread.call(nvml::driverVersion);
    this.mps = new MpsSlices(nvml, settings.mps(), steps);
    this.gpus = discoverGpus();
    this.files = new NvidiaFiles(settings.kernel());
    files.loadMemoryModule();
    this.mechanisms = SliceMechanisms.of(nvml, settings.cgroups(), mps, steps);
  }

  /// Starts the driver, and finds its devices.
  ///
  /// @throws GpuUnavailableException when there is no NVML that works
  public static NvmlGpuDriver open(Settings settings, NvmlSteps steps) {
    NativeThread thread = new NativeThread("NVML", settings.patience());
    NvmlLoader.Opened opened;
    try {
      opened = thread.call(() -> NvmlLoader.open(settings.library()));
    } catch (GpuDriverException e) {
      thread.close();
      throw new GpuUnavailableException(String.valueOf(e.getMessage()), false);
    } catch (GpuUnavailableException e) {
      thread.close();
      throw e;
    }
    try {
      return new NvmlGpuDriver(settings, steps, opened, thread);
    } catch (GpuDriverException | NvmlException e) {
      thread.close();
      throw new GpuUnavailableException(String.valueOf(e.getMessage()), false);
    }
  }

  private UsableGpus discoverGpus() {
    Discovery discovery =
        new Discovery(
            nvml,
            settings.cgroups(),
            settings.mps().protocols().isEmpty() ? Optional.empty() : Optional.of(mps));
    return new UsableGpus(nvml, discovery, thread.call(nvml::deviceCount), settings.patience());
  }

  @Override
  public String description() {
    return "nvml " + version;
  }

  @Override
  public boolean isSimulated() {
    return false;
  }

  @Override
  public List<DeviceInfo> devices() {
    return gpus.all().stream()
        .map(gpu -> gpu.facts().info())
        .sorted(Comparator.comparingInt(DeviceInfo::index))
        .toList();
  }

  @Override
  public void prepare(Set<String> held) {
    if (settings.mig().turnsOn()) {
      gpus.divide(new MigMode(nvml, steps), held);
    }
  }

  @Override
  public List<SlicePlan> plan(AttemptKey attempt, List<SliceGrant> grants) {
    List<SlicePlan> plans = new ArrayList<>();
    for (SliceGrant grant : grants) {
      NvmlDevice device = gpu(grant).facts();
      SlicePlan plan =
          mechanisms.strongest(device, grant).plan(device, attempt, plans.size(), grant);
      plans.add(provesRelease(plan) ? before(gpu(grant), plan) : plan);
    }
    mechanisms.requireTogether(plans);
    return plans;
  }

  /// An instance of MIG is destroyed with all that is in it.
  private boolean provesRelease(SlicePlan plan) {
    return settings.provesRelease() && !(mechanisms.of(plan) instanceof MigInstances);
  }

  private SlicePlan before(Gpu gpu, SlicePlan plan) {
    return on(gpu, () -> new LeftMemory(nvml).before(gpu, plan));
  }

  @Override
  public void requireRoom(List<SlicePlan> plans) {
    for (SlicePlan plan : plans) {
      Gpu gpu = gpu(plan.grant());
      Optional<String> obstacle = on(gpu, () -> mechanisms.of(plan).obstacle(gpu, plan));
      if (obstacle.isPresent()) {
        throw new GpuDriverException(obstacle.get());
      }
    }
  }

  @Override
  public void realise(SlicePlan plan) {
    Gpu gpu = gpu(plan.grant());
    slices.put(plan, on(gpu, () -> mechanisms.of(plan).realise(gpu, plan)));
  }

  @Override
  public boolean owns(SlicePlan plan) {
    return gpus.has(plan.grant().deviceUuid()) || mechanisms.areOnlyNvidias(plan.mechanism());
  }

  @Override
  public void release(SlicePlan plan) {
    if (!gpus.has(plan.grant().deviceUuid()) && mechanisms.isGoneWithItsGpu(plan)) {
      if (MpsSlices.isServed(plan)) {
        mps.release(plan);
      }
      return;
    }
    Gpu gpu = gpu(plan.grant());
    on(
        gpu,
        () -> {
          try {
            mechanisms.of(plan).release(gpu, plan);
            if (provesRelease(plan)) {
              new LeftMemory(nvml).requireNone(gpu, plan);
            }
          } catch (NvmlException e) {
            if (e.status() != NvmlStatus.GPU_IS_LOST) {
              throw e;
            }
            // A lost GPU takes no new jobs, so its slices count as freed and their jobs may run
            // elsewhere.
            LOG.warn(
                "slice {} counts as removed, because {} is lost: {}",
                plan.name(),
                gpu.words(),
                e.getMessage());
          }
          return true;
        });
    slices.remove(plan);
  }

  @Override
  public void recover(List<SlicePlan> recorded) {
    mps.releaseOthers(recorded);
    for (Gpu gpu : gpus.all()) {
      if (gpu.facts().mig().isPresent()) {
        try {
          on(
              gpu,
              () -> {
                new Strangers(settings.mig().removesStrangers())
                    .treat(mechanisms.mig().strangers(gpu, recorded));
                return true;
              });
        } catch (GpuDriverException e) {
          LOG.error("the agent cannot see which instances a GPU has: {}", e.getMessage());
        }
      }
    }
  }

  @Override
  public List<SlicePlan> realisedSlices() {
    return slices.plans();
  }

  @Override
  public CompletableFuture<List<GpuProcess>> processes(String deviceUuid) {
    if (slices.plansOn(deviceUuid).isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    Gpu gpu = gpus.get(deviceUuid);
    return gpu.watchThread().post(gpu::processes);
  }

  @Override
  public DeviceReading read(String deviceUuid) {
    try {
      Gpu gpu = gpus.get(deviceUuid);
      DeviceReading read = on(gpu, gpu.watchThread(), () -> health.read(nvml, gpu.handle()));
      return read.with(unguarded(gpu)).with(gpus.signs(deviceUuid));
    } catch (GpuDriverException e) {
      return DeviceReading.of(new DeviceSign.Silent(String.valueOf(e.getMessage())));
    }
  }

  @Override
  public Optional<Map<AttemptKey, Double>> computing(
      String deviceUuid, Function<Collection<Long>, Map<Long, AttemptKey>> owners) {
    Gpu gpu = gpus.get(deviceUuid);
    return on(gpu, gpu.watchThread(), () -> utilization.read(gpu))
        .map(parts -> ProcessUtilization.sums(parts, owners.apply(parts.keySet())));
  }

  private List<DeviceSign> unguarded(Gpu gpu) {
    List<SlicePlan> plans = slices.plansOn(gpu.facts().uuid());
    if (plans.stream().noneMatch(MpsSlices::isServed)) {
      return List.of();
    }
    try {
      // Where slices come and go: to a daemon one speaks at a time.
      return on(gpu, () -> mps.signs(plans));
    } catch (GpuDriverException e) {
      LOG.warn(
          "it is unknown whether the slices of {} are still limited: {}",
          gpu.words(),
          e.getMessage());
      return List.of();
    }
  }

  @Override
  public void listen(DeviceListener listener) {
    if (!health.hasEvents()) {
      LOG.warn("the agent receives no GPU errors (XID events): the driver is too old");
      return;
    }
    NvmlEvents waiting = new NvmlEvents(health.api(), List.copyOf(gpus.all()), listener);
    if (!events.compareAndSet(null, waiting)) {
      throw new IllegalStateException("a listener is registered already");
    }
    waiting.start();
  }

  @Override
  public Optional<CudaCheckpoint> checkpoint(List<SlicePlan> plans) {
    return settings
        .checkpoint()
        .filter(CudaCheckpoint::isThere)
        .filter(_ -> plans.stream().allMatch(plan -> mechanisms.of(plan) instanceof WholeGpu));
  }

  @Override
  public Map<String, String> environment(List<SlicePlan> plans) {
    String visible =
        plans.stream()
            .sorted(Comparator.comparingInt(SlicePlan::number))
            .map(slices::data)
            .collect(Collectors.joining(","));
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("CUDA_VISIBLE_DEVICES", visible);
    environment.put("NVIDIA_VISIBLE_DEVICES", visible.isEmpty() ? "void" : visible);
    plans.forEach(plan -> environment.putAll(mechanisms.of(plan).environment(plan)));
    return environment;
  }

  @Override
  public void jobsHaveMounts(Path program) {
    mps.jobsHaveMounts(program);
  }

  @Override
  public SlicePaths paths(List<SlicePlan> plans) {
    return mps.paths(plans);
  }

  @Override
  public List<DeviceNode> deviceNodes(List<SlicePlan> plans) {
    List<DeviceNode> nodes = new ArrayList<>();
    for (SlicePlan plan : plans) {
      Gpu gpu = gpu(plan.grant());
      nodes.addAll(on(gpu, () -> mechanisms.of(plan).files(gpu, plan, files)));
    }
    if (!nodes.isEmpty()) {
      nodes.addAll(files.common());
    }
    return nodes;
  }

  /// Closes the library. A hanging call is left alone.
  @Override
  public void close() {
    Optional.ofNullable(events.get()).ifPresent(NvmlEvents::close);
    gpus.close();
    try {
      thread.run(nvml::close);
    } catch (GpuDriverException | NvmlException e) {
      LOG.warn("NVML was not shut down: {}", e.getMessage());
    }
    thread.close();
  }

  private Gpu gpu(SliceGrant grant) {
    return gpus.get(grant.deviceUuid());
  }
}
