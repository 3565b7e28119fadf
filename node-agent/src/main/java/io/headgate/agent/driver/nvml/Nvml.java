package io.headgate.agent.driver.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// All native calls, as values. Initialised once and for as long as the agent lives: to begin anew
/// takes seconds on a busy machine.
///
/// Every method may block for seconds, so all are called on a [NativeThread]; they may be called
/// from several threads at once. A call that fails throws [NvmlException].
final class Nvml implements AutoCloseable {
  /// A GPU. Valid while the library is.
  record Device(Pointer pointer) {}

  /// A GPU instance: a part of a GPU's memory and processors. Looked up for each use.
  record GpuInstance(Pointer pointer) {}

  /// A compute instance of a GPU instance. Looked up for each use.
  record ComputeInstance(Pointer pointer) {}

  /// Memory of a GPU in bytes.
  ///
  /// @param reserved of the total, for the driver's own use
  /// @param used of the total, by programs
  record MemoryInfo(long total, long reserved, long used) {}

  /// @param isOn whether MIG is in force
  /// @param isPending whether it is after the next reset
  record MigState(boolean isOn, boolean isPending) {}

  /// A size of GPU instances.
  ///
  /// @param number in NVML's list of all
  /// @param id by which this GPU knows it
  /// @param slices of compute
  /// @param name as the driver calls it; `MIG 1g.10gb`
  record Profile(int number, int id, int slices, long memoryMib, String name) {}

  /// Where a GPU instance lies, in memory slices.
  record Placement(int start, int size) {}

  /// @param id of the instance on its GPU
  record InstanceInfo(int id, int profileId, Placement placement) {}

  private static final int UUID_BYTES = 96;
  private static final int NAME_BYTES = 96;
  private static final int VERSION_BYTES = 80;
  private static final int MAX_PROFILES = 64;
  private static final int MAX_INSTANCES = 64;
  private static final int MAX_PLACEMENTS = 64;
  private static final int SHARED_ENGINES = 0;

  /// The mode of a GPU that a virtual machine has for itself. Higher modes are virtual GPUs and
  /// their hosts.
  private static final int PASSED_THROUGH = 1;

  private static final long NO_LIMIT = -1; // of unsigned 64 bits

  static final String SET_MEMORY_LIMITS = "nvmlDeviceSetMemoryLimits_v1";

  private final NvmlApi api;
  private final boolean canLimitMemory;

  /// @param api initialised
  Nvml(NvmlApi api, boolean canLimitMemory) {
    this.api = api;
    this.canLimitMemory = canLimitMemory;
  }

  /// Whether the driver limits memory by cgroup; it does so from 615 on.
  boolean canLimitMemory() {
    return canLimitMemory;
  }

  String driverVersion() {
    byte[] version = new byte[VERSION_BYTES];
    check("nvmlSystemGetDriverVersion", api.nvmlSystemGetDriverVersion(version, version.length));
    return text(version);
  }

  int deviceCount() {
    IntByReference count = new IntByReference();
    check("nvmlDeviceGetCount", api.nvmlDeviceGetCount_v2(count));
    return count.getValue();
  }

  Device device(int index) {
    PointerByReference device = new PointerByReference();
    check("nvmlDeviceGetHandleByIndex", api.nvmlDeviceGetHandleByIndex_v2(index, device));
    return new Device(device.getValue());
  }

  /// The number in the name of the GPU's device file.
  int minor(Device device) {
    IntByReference minor = new IntByReference();
    check("nvmlDeviceGetMinorNumber", api.nvmlDeviceGetMinorNumber(device.pointer, minor));
    return minor.getValue();
  }

  String name(Device device) {
    byte[] name = new byte[NAME_BYTES];
    check("nvmlDeviceGetName", api.nvmlDeviceGetName(device.pointer, name, name.length));
    return text(name);
  }

  /// `GPU-…` for a GPU, `MIG-…` for a part of one.
  String uuid(Device device) {
    byte[] uuid = new byte[UUID_BYTES];
    check("nvmlDeviceGetUUID", api.nvmlDeviceGetUUID(device.pointer, uuid, uuid.length));
    return text(uuid);
  }

  /// The major version of CUDA's compute capability: Volta 7, Hopper 9.
  int computeCapability(Device device) {
    IntByReference major = new IntByReference();
    check(
        "nvmlDeviceGetCudaComputeCapability",
        api.nvmlDeviceGetCudaComputeCapability(device.pointer, major, new IntByReference()));
    return major.getValue();
  }

  MemoryInfo memory(Device device) {
    Struct memory = Struct.one(Layout.MEMORY_V2);
    check(
        "nvmlDeviceGetMemoryInfo",
        api.nvmlDeviceGetMemoryInfo_v2(device.pointer, memory.pointer()));
    return new MemoryInfo(memory.u64("total"), memory.u64("reserved"), memory.u64("used"));
  }

  /// Empty: the GPU has no MIG.
  Optional<MigState> migMode(Device device) {
    IntByReference current = new IntByReference();
    IntByReference pending = new IntByReference();
    int code = api.nvmlDeviceGetMigMode(device.pointer, current, pending);
    if (NvmlStatus.of(code) == NvmlStatus.NOT_SUPPORTED) {
      return Optional.empty();
    }
    check("nvmlDeviceGetMigMode", code);
    return Optional.of(new MigState(current.getValue() == 1, pending.getValue() == 1));
  }

  /// Turns MIG on, now or not at all.
  ///
  /// @throws NvmlException also when the call succeeds and the mode is not in force: it answers for
  ///   the call and for the mode
  void turnMigOn(Device device) {
    IntByReference activation = new IntByReference();
    check("nvmlDeviceSetMigMode", api.nvmlDeviceSetMigMode(device.pointer, 1, activation));
    check("the activation of MIG", activation.getValue());
  }

  /// Takes back a change of mode that is not in force.
  void keepMigOff(Device device) {
    check(
        "nvmlDeviceSetMigMode", api.nvmlDeviceSetMigMode(device.pointer, 0, new IntByReference()));
  }

  /// Whether the GPU is a virtual one, or is lent to virtual ones.
  boolean isOfVirtualGpus(Device device) {
    IntByReference mode = new IntByReference();
    int code = api.nvmlDeviceGetVirtualizationMode(device.pointer, mode);
    if (NvmlStatus.of(code) == NvmlStatus.NOT_SUPPORTED) {
      return false;
    }
    check("nvmlDeviceGetVirtualizationMode", code);
    return mode.getValue() > PASSED_THROUGH;
  }

  /// The sizes of GPU instances that this GPU has.
  List<Profile> profiles(Device device) {
    List<Profile> profiles = new ArrayList<>();
    for (int number = 0; number < MAX_PROFILES; number++) {
      Struct info = Struct.one(Layout.GPU_INSTANCE_PROFILE);
      int code = api.nvmlDeviceGetGpuInstanceProfileInfoV(device.pointer, number, info.pointer());
      switch (NvmlStatus.of(code)) {
        case INVALID_ARGUMENT -> {
          return List.copyOf(profiles);
        }
        case NOT_SUPPORTED -> {
          // One that other GPUs have.
        }
        default -> {
          check("nvmlDeviceGetGpuInstanceProfileInfo", code);
          profiles.add(
              new Profile(
                  number,
                  info.u32("id"),
                  info.u32("sliceCount"),
                  info.u64("memorySizeMB"),
                  info.text("name")));
        }
      }
    }
    return List.copyOf(profiles);
  }

  /// Where instances of a profile may lie, whatever lies there now.
  List<Placement> placements(Device device, int profileId) {
    Struct placements = Struct.array(Layout.PLACEMENT, MAX_PLACEMENTS);
    IntByReference count = new IntByReference(MAX_PLACEMENTS);
    check(
        "nvmlDeviceGetGpuInstancePossiblePlacements",
        api.nvmlDeviceGetGpuInstancePossiblePlacements_v2(
            device.pointer, profileId, placements.pointer(), count));
    List<Placement> found = new ArrayList<>();
    for (int i = 0; i < count.getValue(); i++) {
      found.add(new Placement(placements.u32(i, "start"), placements.u32(i, "size")));
    }
    return List.copyOf(found);
  }

  GpuInstance createGpuInstance(Device device, int profileId, Placement at) {
    Struct placement = Struct.one(Layout.PLACEMENT).set("start", at.start()).set("size", at.size());
    PointerByReference made = new PointerByReference();
    check(
        "nvmlDeviceCreateGpuInstanceWithPlacement",
        api.nvmlDeviceCreateGpuInstanceWithPlacement(
            device.pointer, profileId, placement.pointer(), made));
    return new GpuInstance(made.getValue());
  }

  List<GpuInstance> gpuInstances(Device device, int profileId) {
    Memory found = pointers();
    IntByReference count = new IntByReference(MAX_INSTANCES);
    check(
        "nvmlDeviceGetGpuInstances",
        api.nvmlDeviceGetGpuInstances(device.pointer, profileId, found, count));
    return Arrays.stream(found.getPointerArray(0, count.getValue())).map(GpuInstance::new).toList();
  }

  InstanceInfo info(GpuInstance instance) {
    Struct info = Struct.one(Layout.GPU_INSTANCE);
    check("nvmlGpuInstanceGetInfo", api.nvmlGpuInstanceGetInfo(instance.pointer, info.pointer()));
    return new InstanceInfo(
        info.u32("id"),
        info.u32("profileId"),
        new Placement(
            info.nested("placement", Layout.PLACEMENT, "start"),
            info.nested("placement", Layout.PLACEMENT, "size")));
  }

  void destroy(GpuInstance instance) {
    check("nvmlGpuInstanceDestroy", api.nvmlGpuInstanceDestroy(instance.pointer));
  }

  /// The id of a size of compute instances, of those with the engines shared.
  ///
  /// @param number in NVML's list of all
  int computeProfileId(GpuInstance instance, int number) {
    Struct info = Struct.one(Layout.COMPUTE_INSTANCE_PROFILE);
    check(
        "nvmlGpuInstanceGetComputeInstanceProfileInfo",
        api.nvmlGpuInstanceGetComputeInstanceProfileInfoV(
            instance.pointer, number, SHARED_ENGINES, info.pointer()));
    return info.u32("id");
  }

  ComputeInstance createComputeInstance(GpuInstance instance, int profileId) {
    PointerByReference made = new PointerByReference();
    check(
        "nvmlGpuInstanceCreateComputeInstance",
        api.nvmlGpuInstanceCreateComputeInstance(instance.pointer, profileId, made));
    return new ComputeInstance(made.getValue());
  }

  List<ComputeInstance> computeInstances(GpuInstance instance, int profileId) {
    Memory found = pointers();
    IntByReference count = new IntByReference(MAX_INSTANCES);
    check(
        "nvmlGpuInstanceGetComputeInstances",
        api.nvmlGpuInstanceGetComputeInstances(instance.pointer, profileId, found, count));
    return Arrays.stream(found.getPointerArray(0, count.getValue()))
        .map(ComputeInstance::new)
        .toList();
  }

  /// Its number within its GPU instance.
  int id(ComputeInstance computeInstance) {
    return infoOf(computeInstance).u32("id");
  }

  /// The device that CUDA sees for a compute instance.
  Device migDevice(ComputeInstance computeInstance) {
    return new Device(infoOf(computeInstance).pointer("device"));
  }

  private Struct infoOf(ComputeInstance computeInstance) {
    Struct info = Struct.one(Layout.COMPUTE_INSTANCE);
    check(
        "nvmlComputeInstanceGetInfo",
        api.nvmlComputeInstanceGetInfo_v2(computeInstance.pointer, info.pointer()));
    return info;
  }

  void destroy(ComputeInstance computeInstance) {
    check("nvmlComputeInstanceDestroy", api.nvmlComputeInstanceDestroy(computeInstance.pointer));
  }

  /// Lists of the processes on a GPU, with reused buffers.
  ProcessLists processLists() {
    return new ProcessLists(api);
  }

  /// Limits the memory of a GPU for all processes of a cgroup together, and reserves it for them.
  ///
  /// @param cgroup a cgroup v2 directory
  void limitMemory(Device device, Path cgroup, long bytes) {
    setLimits(device, cgroup, bytes, bytes);
  }

  /// Takes the limit back. Without that, whatever is above the cgroup keeps the memory reserved.
  void unlimitMemory(Device device, Path cgroup) {
    setLimits(device, cgroup, 0, NO_LIMIT);
  }

  private void setLimits(Device device, Path cgroup, long soft, long hard) {
    byte[] path = cgroup.toString().getBytes(StandardCharsets.UTF_8);
    try (Memory nameSpace = new Memory(path.length + 1L)) {
      nameSpace.clear();
      nameSpace.write(0, path, 0, path.length);
      Struct limits =
          Struct.one(Layout.SET_MEMORY_LIMITS)
              .set("nameSpace", nameSpace)
              .set("softLimit", soft)
              .set("hardLimit", hard);
      check(SET_MEMORY_LIMITS, api.nvmlDeviceSetMemoryLimits_v1(device.pointer, limits.pointer()));
    }
  }

  @Override
  public void close() {
    check("nvmlShutdown", api.nvmlShutdown());
  }

  private static Memory pointers() {
    Memory pointers = new Memory((long) MAX_INSTANCES * Native.POINTER_SIZE);
    pointers.clear();
    return pointers;
  }

  private void check(String function, int code) {
    if (code != 0) {
      throw new NvmlException(function, code, api.nvmlErrorString(code));
    }
  }

  private static String text(byte[] bytes) {
    return Native.toString(bytes, StandardCharsets.UTF_8);
  }
}
