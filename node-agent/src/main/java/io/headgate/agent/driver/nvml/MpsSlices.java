package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePaths;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.type.GpuQuantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// A part of a GPU's memory, and perhaps of its processors. NVIDIA's Multi-Process Service limits
/// each process of a job to it.
///
/// Each slice has a control daemon of its own, because a daemon for all slices would couple the
/// jobs:
///
/// - In protocol 2 a daemon serves one user at a time, and each job is a user of its own. Jobs
///   would compute one after the other. The daemon's limits hold for all that it serves, so all
///   parts would have one size.
/// - In protocol 3 a daemon has servers and limits for all slices of a GPU. Its memory shared with
///   programs lies in one `/dev/shm`, which would belong to all these jobs. The daemon's end would
///   end all their limits.
///
/// A failure in a server fails all of its programs. The servers take turns on the GPU.
///
/// A daemon outlives the agent and is found again by its place ([MpsDirectory]), which is in the
/// plan.
final class MpsSlices implements SliceMechanism {
  private static final Logger LOG = LoggerFactory.getLogger(MpsSlices.class);
  private static final String DIRECTORY = "directory";
  private static final String LIMIT_MIB = "limit-mib";
  private static final String THREADS = "thread-percentage";
  private static final int MIB_BITS = 20;

  private final Nvml nvml;
  private final MpsSettings settings;
  private final MpsControl control;
  private final NvmlSteps steps;

  /// Names of the slices that this agent has made or found, and does not remove.
  private final Set<String> standing = ConcurrentHashMap.newKeySet();

  /// Slices that MPS served until a check found them gone.
  private final Set<String> lost = ConcurrentHashMap.newKeySet();

  private volatile Optional<Path> mounts = Optional.empty();

  MpsSlices(Nvml nvml, MpsSettings settings, NvmlSteps steps) {
    this.nvml = nvml;
    this.settings = settings;
    this.control = new MpsControl(settings.control(), settings.patience());
    this.steps = steps;
  }

  /// Jobs have mounts of their own.
  ///
  /// @param program starts another with a directory as its `/dev/shm`
  void jobsHaveMounts(Path program) {
    mounts = Optional.of(program);
  }

  /// The protocols that daemons may use, the best first.
  List<MpsProtocol> protocols() {
    return settings.protocols();
  }

  /// How slices of the GPU can be made: in the first protocol in which one was, for a moment.
  ///
  /// @param driver its major version
  /// @param protocols that will do
  Optional<MpsProtocol> protocol(String gpuUuid, int driver, List<MpsProtocol> protocols) {
    for (MpsProtocol protocol : protocols) {
      Optional<String> problem =
          protocol == MpsProtocol.V3 && driver < MpsProtocol.V3_DRIVER
              ? Optional.of("the driver is older than " + MpsProtocol.V3_DRIVER)
              : problem(gpuUuid, MpsDirectory.of(settings.directory(), "probe", protocol));
      if (problem.isEmpty()) {
        return Optional.of(protocol);
      }
      boolean hasAnother = protocols.getLast() != protocol;
      LOG.atLevel(hasAnother ? Level.INFO : Level.WARN)
          .log("no slices of GPU {} are made by MPS {}: {}", gpuUuid, protocol, problem.get());
    }
    return Optional.empty();
  }

  private Optional<String> problem(String gpuUuid, MpsDirectory place) {
    try {
      control.stop(place);
      MpsLimits smallest = new MpsLimits(control, Optional.of("1"), Optional.empty());
      begin(place, gpuUuid, smallest, NvmlSteps.NONE);
      return Optional.empty();
    } catch (GpuDriverException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } finally {
      try {
        control.stop(place);
      } catch (GpuDriverException e) {
        LOG.warn("an MPS daemon that was started as a trial does not stop: {}", e.getMessage());
      }
    }
  }

  @Override
  public String word() {
    return "mps";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.DRIVER_PROCESS;
  }

  @Override
  public SlicePlan plan(NvmlDevice device, AttemptKey attempt, int number, SliceGrant grant) {
    long bytes = grant.effectiveMemoryBytes(device.info());
    long limitMib = (bytes - settings.reserveBytes()) >> MIB_BITS;
    if (limitMib < 1) {
      throw new GpuDriverException(
          "a slice of %d MiB is no larger than gpu.mps.reserve, %d MiB"
              .formatted(bytes >> MIB_BITS, settings.reserveBytes() >> MIB_BITS));
    }
    SlicePlan plan = new SlicePlan(attempt, number, grant, word(), isolation(), bytes);
    TreeMap<String, String> placement =
        new TreeMap<>(service(plan.name(), device.mps().orElseThrow(), grant.gpus()));
    placement.put(LIMIT_MIB, Long.toString(limitMib));
    return new SlicePlan(attempt, number, grant, word(), isolation(), bytes, placement);
  }

  /// The part of a slice's placement that makes a daemon serve it. It limits no memory.
  Map<String, String> service(String slice, MpsProtocol protocol, GpuQuantity gpus) {
    Map<String, String> placement = new TreeMap<>();
    placement.put(
        DIRECTORY, MpsDirectory.of(settings.directory(), slice, protocol).directory().toString());
    if (settings.limitsCompute()) {
      placement.put(THREADS, Long.toString(percentage(gpus)));
    }
    return placement;
  }

  /// Whether a daemon serves the slice, whatever else holds it.
  static boolean isServed(SlicePlan plan) {
    return plan.placement().containsKey(DIRECTORY);
  }

  /// Whether MPS limits compute, too, and not memory alone.
  boolean limitsCompute() {
    return settings.limitsCompute();
  }

  /// Rounded up, so that parts that fill a GPU leave nothing of it idle: of 1/3, 34.
  private static long percentage(GpuQuantity gpus) {
    return Math.ceilDiv(100 * gpus.units(), GpuQuantity.UNITS_PER_GPU);
  }

  @Override
  public String realise(Gpu gpu, SlicePlan plan) {
    String uuid = nvml.uuid(gpu.handle());
    serve(plan, uuid);
    return uuid;
  }

  /// Has a daemon serve the slice, as its placement says.
  void serve(SlicePlan plan, String gpuUuid) {
    begin(
        place(plan),
        gpuUuid,
        new MpsLimits(
            control,
            Optional.ofNullable(plan.placement().get(LIMIT_MIB)),
            Optional.ofNullable(plan.placement().get(THREADS))),
        steps);
    lost.remove(plan.name());
    standing.add(plan.name());
  }

  private void begin(MpsDirectory place, String uuid, MpsLimits limits, NvmlSteps passed) {
    try {
      place.make();
    } catch (IOException e) {
      throw new GpuDriverException("the directory of an MPS daemon cannot be made: " + e);
    }
    boolean isNew = control.start(place, uuid, mounts);
    passed.reached(NvmlSteps.Step.DAEMON_STARTED);
    limits.impose(place, uuid, isNew, passed);
  }

  @Override
  public void release(Gpu gpu, SlicePlan plan) {
    release(plan);
  }

  /// The same without the GPU, which may be gone.
  void release(SlicePlan plan) {
    standing.remove(plan.name());
    lost.remove(plan.name());
    control.stop(place(plan));
    steps.reached(NvmlSteps.Step.DAEMON_STOPPED);
  }

  /// Ends the daemons in the agent's directory that none of the plans explains.
  void releaseOthers(List<SlicePlan> plans) {
    Set<Path> known =
        plans.stream()
            .filter(MpsSlices::isServed)
            .map(plan -> place(plan).directory())
            .collect(Collectors.toSet());
    for (Path directory : directories()) {
      if (!known.contains(directory)) {
        LOG.warn("stopping the MPS daemon in {}, which serves no recorded slice", directory);
        try {
          control.stop(new MpsDirectory(directory));
        } catch (GpuDriverException e) {
          LOG.error("{}", e.getMessage());
        }
      }
    }
  }

  private List<Path> directories() {
    try (Stream<Path> directories = Files.list(settings.directory())) {
      return directories.sorted().toList();
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException e) {
      LOG.error("{} cannot be listed: {}", settings.directory(), e.toString());
      return List.of();
    }
  }

  @Override
  public Map<String, String> environment(SlicePlan plan) {
    Map<String, String> environment = new TreeMap<>();
    environment.put(MpsDirectory.PIPE_VARIABLE, place(plan).sockets().toString());
    if (place(plan).protocol() == MpsProtocol.V2) {
      // The daemon holds them to it anyway; this is for programs that ask, and can only lower it.
      environment.put(
          "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=" + plan.placement().get(LIMIT_MIB) + "M");
      Optional.ofNullable(plan.placement().get(THREADS))
          .ifPresent(percent -> environment.put("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", percent));
    }
    return environment;
  }

  /// The paths of MPS that a job sees: sockets and memory of its own daemon.
  SlicePaths paths(List<SlicePlan> plans) {
    List<MpsDirectory> own =
        plans.stream().filter(MpsSlices::isServed).map(MpsSlices::place).toList();
    return new SlicePaths(
        List.of(settings.directory()),
        own.stream().map(MpsDirectory::sockets).toList(),
        own.stream().map(MpsDirectory::sharedMemory).findFirst());
  }

  /// The slices whose limits MPS no longer enforces. New processes of their jobs get all
  /// processors, and memory as far as a cgroup or the watch allows. Lost limits come back with the
  /// next agent only.
  List<DeviceSign> signs(List<SlicePlan> made) {
    for (SlicePlan plan : made) {
      try {
        if (standing.contains(plan.name()) && !isGuarded(plan)) {
          standing.remove(plan.name());
          lost.add(plan.name());
        }
      } catch (GpuDriverException e) {
        // Slow is not gone, and says nothing of the others.
        LOG.warn("it is unknown whether MPS still limits {}: {}", plan.name(), e.getMessage());
      }
    }
    return made.stream()
        .filter(plan -> lost.contains(plan.name()))
        .map(plan ->
            (DeviceSign)
                new DeviceSign.SliceUnguarded(plan.name(), plan.placement().containsKey(LIMIT_MIB)))
        .toList();
  }

  private boolean isGuarded(SlicePlan plan) {
    MpsDirectory place = place(plan);
    return place.daemon().isPresent()
        && switch (place.protocol()) {
          case V2 -> true;
          case V3 -> MpsLimits.haveNamespace(control, place, plan.grant().deviceUuid());
        };
  }

  private static MpsDirectory place(SlicePlan plan) {
    return new MpsDirectory(Path.of(plan.placement().getOrDefault(DIRECTORY, "/nonexistent")));
  }
}
