package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.NativeThread;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.SliceRegistry;
import io.headgate.type.GpuQuantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The driver of AMD GPUs. It reads their properties once, at the start.
public final class RocmGpuDriver implements GpuDriver {
  private static final Logger LOG = LoggerFactory.getLogger(RocmGpuDriver.class);

  /// A number that no GPU has ends the list of those that a program sees.
  private static final String NONE = "-1";

  private static final String PARTITION = "partition";

  /// The major device number of the kernel's graphics drivers.
  private static final int RENDER_MAJOR = 226;

  private static final String COMPUTE = "kfd";

  /// How the driver works.
  ///
  /// @param libraries names or paths of ROCm SMI and AMD SMI; the first that is there
  /// @param patience how long a call may take before it counts as failed
  /// @param sysfs where the kernel shows its devices: `/sys`
  /// @param devices what it shows of devices otherwise
  /// @param cgroups where the cgroup of an attempt is, by the name of the attempt, if the kernel is
  ///   to limit parts by it; absent: it is not
  public record Settings(
      List<String> libraries,
      Duration patience,
      Path sysfs,
      KernelDevices devices,
      Optional<Function<String, Optional<Path>>> cgroups) {
    public Settings {
      libraries = List.copyOf(libraries);
    }

    public Settings(List<String> libraries, Duration patience, Path sysfs) {
      this(libraries, patience, sysfs, KernelDevices.HERE, Optional.empty());
    }
  }

  private final AmdLibrary library;
  private final Kfd kfd;
  private final AmdHealth health;
  private final KernelDevices devices;

  /// All calls of the library, and with them the making of slices.
  private final NativeThread thread;

  /// The thread of the memory watch, which must not wait for slices.
  private final NativeThread watchThread;

  private final String description;
  private final SortedMap<String, AmdGpu> gpus;
  private final List<AmdMechanism> mechanisms;

  /// The GPUs whose memory the kernel limits by cgroup.
  private final Set<String> limited;

  /// The slices, with the device nodes that programs see.
  private final SliceRegistry<Kfd.Node> slices = new SliceRegistry<>();

  private RocmGpuDriver(
      AmdLibrary library,
      Settings settings,
      RocmSteps steps,
      NativeThread thread,
      NativeThread watchThread) {
    this.library = library;
    this.kfd = new Kfd(settings.sysfs());
    this.health = new AmdHealth(kfd);
    this.devices = settings.devices();
    this.thread = thread;
    this.watchThread = watchThread;
    this.description = thread.call(library::description);
    this.gpus =
        thread.call(() -> new AmdDiscovery(library, kfd).gpus()).stream()
            .collect(
                Collectors.toMap(
                    AmdGpu::uuid,
                    Function.identity(),
                    (one, other) -> {
                      throw new GpuDriverException("two GPUs have the identity " + other.uuid());
                    },
                    TreeMap::new));
    NodeUse use = new NodeUse(kfd);
    DmemLimit dmem = new DmemLimit(use, settings.cgroups().orElse(_ -> Optional.empty()), steps);
    this.mechanisms =
        List.of(
            new WholeAmdGpu(use),
            new AmdPartition(library, use, steps),
            dmem,
            new WatchedAmdMemory(use));
    this.limited = limited(settings, dmem);
  }

  /// Starts the driver, and finds its devices.
  ///
  /// @throws GpuUnavailableException when there is neither library that works
  public static RocmGpuDriver open(Settings settings, RocmSteps steps) {
    NativeThread thread = new NativeThread("AMD's library", settings.patience());
    NativeThread watchThread = new NativeThread("the watch of AMD's GPUs", settings.patience());
    try {
      AmdLibrary library =
          thread.call(() -> RocmLoader.open(settings.libraries(), settings.sysfs()));
      return new RocmGpuDriver(library, settings, steps, thread, watchThread);
    } catch (GpuUnavailableException e) {
      thread.close();
      watchThread.close();
      throw e;
    } catch (GpuDriverException | RocmException e) {
      thread.close();
      watchThread.close();
      throw new GpuUnavailableException(String.valueOf(e.getMessage()), false);
    }
  }

  private Set<String> limited(Settings settings, DmemLimit dmem) {
    Set<String> limitedOnes = new HashSet<>();
    for (AmdGpu gpu : gpus.values()) {
      if (settings.cgroups().isEmpty() || gpu.isPartitioned()) {
        continue;
      }
      Optional<String> problem = dmem.problem(gpu);
      if (problem.isEmpty()) {
        limitedOnes.add(gpu.uuid());
      } else {
        LOG.warn(
            "the memory of slices of {} is watched, but not limited: {}",
            gpu.words(),
            problem.get());
      }
    }
    return limitedOnes;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public boolean isSimulated() {
    return false;
  }

  @Override
  public List<DeviceInfo> devices() {
    return gpus.values().stream()
        .map(AmdGpu::info)
        .sorted(Comparator.comparingInt(DeviceInfo::index))
        .toList();
  }

  @Override
  public List<SlicePlan> plan(AttemptKey attempt, List<SliceGrant> grants) {
    List<SlicePlan> plans = new ArrayList<>();
    for (SliceGrant grant : grants) {
      AmdGpu gpu = gpu(grant.deviceUuid());
      plans.add(mechanismFor(gpu, grant).plan(gpu, attempt, plans.size(), grant));
    }
    SlicePlan.requireOneOfEachWithoutPlaces(plans);
    return plans;
  }

  /// The strongest available mechanism for such a part of the GPU.
  private AmdMechanism mechanismFor(AmdGpu gpu, SliceGrant grant) {
    if (gpu.isPartitioned()) {
      return mechanism(PARTITION);
    }
    if (grant.gpus().equals(GpuQuantity.ONE)) {
      return mechanism("whole");
    }
    return mechanism(limited.contains(gpu.uuid()) ? "dmem" : "watched");
  }

  private AmdMechanism mechanism(String word) {
    return mechanisms.stream()
        .filter(mechanism -> mechanism.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new GpuDriverException("this agent makes no slices by " + word));
  }

  @Override
  public void requireRoom(List<SlicePlan> plans) {
    for (SlicePlan plan : plans) {
      AmdGpu gpu = gpu(plan.grant().deviceUuid());
      Optional<String> obstacle =
          on(gpu, thread, () -> mechanism(plan.mechanism()).obstacle(gpu, plan));
      if (obstacle.isPresent()) {
        throw new GpuDriverException(obstacle.get());
      }
    }
  }

  /// Foreign slices are not searched here: they show when a slice is made.
  @Override
  public void recover(List<SlicePlan> recorded) {}

  @Override
  public void realise(SlicePlan plan) {
    AmdGpu gpu = gpu(plan.grant().deviceUuid());
    slices.put(plan, on(gpu, thread, () -> mechanism(plan.mechanism()).realise(gpu, plan)));
  }

  @Override
  public boolean owns(SlicePlan plan) {
    return gpus.containsKey(plan.grant().deviceUuid())
        || plan.mechanism().equals(PARTITION)
        || plan.mechanism().equals("dmem");
  }

  @Override
  public void release(SlicePlan plan) {
    AmdGpu gpu = gpus.get(plan.grant().deviceUuid());
    // A GPU that is gone has no slices left.
    if (gpu != null) {
      on(
          gpu,
          thread,
          () -> {
            mechanism(plan.mechanism()).release(gpu, plan);
            return true;
          });
    }
    slices.remove(plan);
  }

  @Override
  public List<SlicePlan> realisedSlices() {
    return slices.plans();
  }

  @Override
  public CompletableFuture<List<GpuProcess>> processes(String deviceUuid) {
    return watchThread.post(() -> {
      List<Long> nodes =
          slices.plansOn(deviceUuid).stream()
              .map(plan -> slices.data(plan).id())
              .distinct()
              .toList();
      return kfd.memoryByProcess(nodes).entrySet().stream()
          .map(use -> new GpuProcess(use.getKey(), use.getValue()))
          .toList();
    });
  }

  @Override
  public DeviceReading read(String deviceUuid) {
    try {
      AmdGpu gpu = gpu(deviceUuid);
      return on(gpu, watchThread, () -> health.read(gpu));
    } catch (GpuDriverException e) {
      return DeviceReading.of(new DeviceSign.Silent(String.valueOf(e.getMessage())));
    }
  }

  @Override
  public Map<String, String> environment(List<SlicePlan> plans) {
    // Read anew: numbers of nodes change with the modes of other GPUs.
    List<Kfd.Node> nodes = thread.call(kfd::nodes);
    String visible =
        plans.stream()
            .sorted(Comparator.comparingInt(SlicePlan::number))
            .map(plan -> visible(slices.data(plan), nodes))
            .collect(Collectors.joining(","));
    return Map.of(
        "ROCR_VISIBLE_DEVICES",
        visible.isEmpty() ? NONE : visible,
        "NVIDIA_VISIBLE_DEVICES",
        "void");
  }

  /// By its identity, which stays; partitions have one of their own on newer kernels only.
  private static String visible(Kfd.Node node, List<Kfd.Node> nodes) {
    boolean named =
        node.uniqueId() != 0
            && nodes.stream().filter(other -> other.uniqueId() == node.uniqueId()).count() == 1;
    return named
        ? AmdDiscovery.uuid(node.uniqueId())
        : Integer.toString(nodes.stream().map(Kfd.Node::id).toList().indexOf(node.id()));
  }

  @Override
  public List<DeviceNode> deviceNodes(List<SlicePlan> plans) {
    List<DeviceNode> nodes = new ArrayList<>();
    for (SlicePlan plan : plans) {
      int minor = slices.data(plan).renderMinor();
      String name = "dri/renderD" + minor;
      nodes.add(devices.node(name).orElse(new DeviceNode(name, RENDER_MAJOR, minor)));
    }
    if (!nodes.isEmpty()) {
      devices
          .node(COMPUTE)
          .or(() ->
              devices.major(COMPUTE).stream()
                  .mapToObj(major -> new DeviceNode(COMPUTE, major, 0))
                  .findFirst())
          .ifPresentOrElse(
              nodes::add, () -> LOG.warn("the kernel shows no /dev/kfd, so programs find no GPUs"));
    }
    return nodes;
  }

  /// Closes the library. A hanging call is left alone.
  @Override
  public void close() {
    try {
      thread.run(library::close);
    } catch (GpuDriverException | RocmException e) {
      LOG.warn("AMD's library was not shut down: {}", e.getMessage());
    }
    thread.close();
    watchThread.close();
  }

  private AmdGpu gpu(String uuid) {
    return Optional.ofNullable(gpus.get(uuid))
        .orElseThrow(() -> new GpuDriverException("this machine has no GPU " + uuid));
  }

  private static <T> T on(AmdGpu gpu, NativeThread thread, Callable<T> call) {
    try {
      return thread.call(call);
    } catch (RocmException e) {
      throw new GpuDriverException(gpu.words() + ": " + e.getMessage());
    }
  }
}
