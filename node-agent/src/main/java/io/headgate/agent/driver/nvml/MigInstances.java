package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// A GPU instance at the place that the scheduler chose, with one compute instance that is all of
/// it.
///
/// An instance carries no mark of its maker, so a slice is found again by its plan: GPU, profile
/// and first memory slice. Only one instance at a time matches all three.
record MigInstances(Nvml nvml, NvmlSteps steps) implements SliceMechanism {
  private static final String PROFILE = "profile";
  private static final String COMPUTE_PROFILE = "compute-profile";
  private static final String START = "start";
  private static final String SIZE = "size";

  @Override
  public String word() {
    return "mig";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.HARDWARE;
  }

  @Override
  public SlicePlan plan(NvmlDevice device, AttemptKey attempt, int number, SliceGrant grant) {
    SlicePlace place =
        grant
            .place()
            .orElseThrow(() ->
                new GpuDriverException(
                    "GPU %d is divided by MIG, and the slice names no place"
                        .formatted(device.index())));
    MigGeometry.Profile profile =
        device
            .mig()
            .flatMap(mig -> mig.named(place.profile()))
            .filter(found ->
                found.memorySlices() == place.size() && found.starts().contains(place.start()))
            .orElseThrow(() ->
                new GpuDriverException(
                    "GPU %d has no place %s of %d memory slices"
                        .formatted(device.index(), place, place.size())));
    TreeMap<String, String> placement = new TreeMap<>();
    placement.put(PROFILE, Integer.toString(profile.id()));
    placement.put(COMPUTE_PROFILE, Integer.toString(profile.computeProfile()));
    placement.put(START, Integer.toString(place.start()));
    placement.put(SIZE, Integer.toString(place.size()));
    return new SlicePlan(
        attempt, number, grant, word(), isolation(), profile.memoryBytes(), placement);
  }

  @Override
  public Optional<String> obstacle(Gpu gpu, SlicePlan plan) {
    boolean free =
        instances(gpu).stream()
            .noneMatch(found -> overlap(found.info().placement(), placement(plan)));
    return free ? Optional.empty() : Optional.of(inTheWay(gpu, plan));
  }

  @Override
  public String realise(Gpu gpu, SlicePlan plan) {
    Optional<Nvml.GpuInstance> existing = find(gpu, plan);
    Nvml.GpuInstance instance = existing.isPresent() ? existing.get() : create(gpu, plan);
    steps.reached(NvmlSteps.Step.GPU_INSTANCE_MADE);
    int profile = nvml.computeProfileId(instance, number(plan, COMPUTE_PROFILE));
    List<Nvml.ComputeInstance> made = nvml.computeInstances(instance, profile);
    Nvml.ComputeInstance compute =
        made.isEmpty() ? nvml.createComputeInstance(instance, profile) : made.getFirst();
    steps.reached(NvmlSteps.Step.COMPUTE_INSTANCE_MADE);
    return nvml.uuid(nvml.migDevice(compute));
  }

  private Nvml.GpuInstance create(Gpu gpu, SlicePlan plan) {
    try {
      return nvml.createGpuInstance(gpu.handle(), number(plan, PROFILE), placement(plan));
    } catch (NvmlException e) {
      // The code for an occupied place says "insufficient resources"; naming the occupant says
      // more.
      if (e.status() == NvmlStatus.INSUFFICIENT_RESOURCES) {
        throw new GpuDriverException(inTheWay(gpu, plan));
      }
      throw e;
    }
  }

  private String inTheWay(Gpu gpu, SlicePlan plan) {
    Nvml.Placement wanted = placement(plan);
    List<String> there =
        instances(gpu).stream()
            .filter(found -> overlap(found.info().placement(), wanted))
            .map(Found::words)
            .toList();
    return "the place %s of %s is taken by %s"
        .formatted(
            plan.grant().place().map(SlicePlace::toString).orElse(""),
            gpu.words(),
            there.isEmpty()
                ? "an instance that the driver does not show"
                : String.join(", ", there));
  }

  @Override
  public void release(Gpu gpu, SlicePlan plan) {
    Optional<Nvml.GpuInstance> instance;
    try {
      instance = find(gpu, plan);
    } catch (NvmlException e) {
      // MIG was turned off, and with it all instances went.
      if (e.status() == NvmlStatus.NOT_SUPPORTED) {
        return;
      }
      throw e;
    }
    if (instance.isPresent()) {
      boolean destroyed = destroy(instance.get(), number(plan, COMPUTE_PROFILE));
      if (destroyed && find(gpu, plan).isPresent()) {
        throw new GpuDriverException(
            "the driver of %s has removed the slice %s and still shows it"
                .formatted(gpu.words(), plan.name()));
      }
    }
  }

  /// Fails with IN_USE for as long as anybody uses it.
  ///
  /// @return false: it was gone already
  private boolean destroy(Nvml.GpuInstance instance, int computeProfile) {
    var _ =
        unlessGone(() -> {
          int profile = nvml.computeProfileId(instance, computeProfile);
          for (Nvml.ComputeInstance compute : nvml.computeInstances(instance, profile)) {
            var _ = unlessGone(() -> nvml.destroy(compute));
          }
        });
    steps.reached(NvmlSteps.Step.COMPUTE_INSTANCE_DESTROYED);
    boolean destroyed = unlessGone(() -> nvml.destroy(instance));
    steps.reached(NvmlSteps.Step.GPU_INSTANCE_DESTROYED);
    return destroyed;
  }

  private static boolean unlessGone(Runnable call) {
    try {
      call.run();
      return true;
    } catch (NvmlException e) {
      if (e.status() != NvmlStatus.NOT_FOUND) {
        throw e;
      }
      return false;
    }
  }

  private Optional<Nvml.ComputeInstance> compute(Nvml.GpuInstance instance, SlicePlan plan) {
    int profile = nvml.computeProfileId(instance, number(plan, COMPUTE_PROFILE));
    return nvml.computeInstances(instance, profile).stream().findFirst();
  }

  @Override
  public List<DeviceNode> files(Gpu gpu, SlicePlan plan, NvidiaFiles files) {
    Nvml.GpuInstance instance = find(gpu, plan).orElseThrow(() -> gone(gpu, plan));
    Nvml.ComputeInstance compute = compute(instance, plan).orElseThrow(() -> gone(gpu, plan));
    int minor = gpu.facts().minor();
    List<DeviceNode> nodes = new ArrayList<>(List.of(files.gpu(minor)));
    nodes.addAll(files.instance(minor, nvml.info(instance).id(), nvml.id(compute)));
    return nodes;
  }

  private static GpuDriverException gone(Gpu gpu, SlicePlan plan) {
    return new GpuDriverException("the slice %s of %s is gone".formatted(plan.name(), gpu.words()));
  }

  @Override
  public List<Stranger> strangers(Gpu gpu, List<SlicePlan> plans) {
    List<Stranger> strangers = new ArrayList<>();
    for (Found found : instances(gpu)) {
      boolean ours =
          plans.stream()
              .anyMatch(plan ->
                  plan.grant().deviceUuid().equals(gpu.facts().uuid())
                      && number(plan, PROFILE) == found.profile().id()
                      && placement(plan).equals(found.info().placement()));
      if (!ours) {
        strangers.add(
            new Stranger(
                found.words() + " of " + gpu.words(),
                () -> {
                  var _ = destroy(found.instance(), found.profile().computeProfile());
                }));
      }
    }
    return strangers;
  }

  /// An instance that is there.
  private record Found(
      Nvml.GpuInstance instance, Nvml.InstanceInfo info, MigGeometry.Profile profile) {
    String words() {
      return "%s@%d (GPU instance %d)"
          .formatted(profile.name(), info.placement().start(), info.id());
    }
  }

  private List<Found> instances(Gpu gpu) {
    List<Found> found = new ArrayList<>();
    for (MigGeometry.Profile profile : gpu.facts().mig().orElseThrow().profiles()) {
      for (Nvml.GpuInstance instance : nvml.gpuInstances(gpu.handle(), profile.id())) {
        found.add(new Found(instance, nvml.info(instance), profile));
      }
    }
    return found;
  }

  private Optional<Nvml.GpuInstance> find(Gpu gpu, SlicePlan plan) {
    return nvml.gpuInstances(gpu.handle(), number(plan, PROFILE)).stream()
        .filter(instance -> nvml.info(instance).placement().equals(placement(plan)))
        .findFirst();
  }

  private static boolean overlap(Nvml.Placement one, Nvml.Placement other) {
    return one.start() < other.start() + other.size() && other.start() < one.start() + one.size();
  }

  private static Nvml.Placement placement(SlicePlan plan) {
    return new Nvml.Placement(number(plan, START), number(plan, SIZE));
  }

  private static int number(SlicePlan plan, String key) {
    return Integer.parseInt(plan.placement().getOrDefault(key, "-1"));
  }
}
