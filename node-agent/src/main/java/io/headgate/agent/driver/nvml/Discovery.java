package io.headgate.agent.driver.nvml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out what this machine's GPUs are and can, by asking them rather than by their names.
///
/// @param cgroups where the cgroup of an attempt would be, by its name
/// @param mps tries whether slices can be made by MPS; empty: they are not wanted
record Discovery(Nvml nvml, Function<String, Optional<Path>> cgroups, Optional<MpsSlices> mps) {
  private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);

  /// The plain sizes in NVML's list of all. Sizes with media engines or graphics exist once on a
  /// GPU and are otherwise like these, so a scheduler has no reason to choose them.
  private static final Set<Integer> PLAIN_PROFILES = Set.of(0, 1, 2, 3, 4, 5, 6, 9);

  /// The first whose programs MPS keeps apart in memory, and limits in it.
  private static final int VOLTA = 7;

  /// The first driver that limits memory by MPS, that of CUDA 11.5.
  private static final int MPS_LIMITS = 495;

  private static final String MIG_WORD = "MIG ";

  /// @param index in the driver's order
  NvmlDevice device(int index, Nvml.Device device) {
    Nvml.MemoryInfo memory = nvml.memory(device);
    Optional<MigGeometry> mig =
        nvml.migMode(device).filter(Nvml.MigState::isOn).map(_ -> geometry(device));
    String uuid = nvml.uuid(device);
    boolean limitsMemory = mig.isEmpty() && limitsMemory(device);
    return new NvmlDevice(
        index,
        nvml.minor(device),
        uuid,
        ModelNames.of(nvml.name(device)),
        memory.total() - memory.reserved(),
        mig,
        limitsMemory,
        mig.isEmpty() ? protocol(device, uuid, limitsMemory) : Optional.empty());
  }

  private MigGeometry geometry(Nvml.Device device) {
    List<MigGeometry.Profile> profiles = new ArrayList<>();
    for (Nvml.Profile profile : nvml.profiles(device)) {
      Optional<Integer> compute = MigGeometry.computeProfile(profile.slices());
      if (compute.isPresent() && PLAIN_PROFILES.contains(profile.number())) {
        List<Nvml.Placement> places = nvml.placements(device, profile.id());
        if (!places.isEmpty()) {
          profiles.add(profile(profile, compute.get(), places));
        }
      }
    }
    if (profiles.isEmpty()) {
      throw new IllegalStateException("MIG is on, but the driver shows no instance profiles");
    }
    return new MigGeometry(profiles);
  }

  private static MigGeometry.Profile profile(
      Nvml.Profile profile, int compute, List<Nvml.Placement> places) {
    String name = profile.name();
    return new MigGeometry.Profile(
        name.startsWith(MIG_WORD) ? name.substring(MIG_WORD.length()) : name,
        profile.id(),
        compute,
        profile.slices(),
        places.getFirst().size(),
        profile.memoryMib() << 20,
        places.stream().map(Nvml.Placement::start).sorted().toList());
  }

  /// How MPS can make parts of it: tried out, as far as that goes without a program. Where memory
  /// is limited already, it is for processors only, and in the third protocol, whose namespaces can
  /// do without a limit of memory.
  private Optional<MpsProtocol> protocol(Nvml.Device device, String uuid, boolean limitsMemory) {
    if (mps.isEmpty() || (limitsMemory && !mps.get().limitsCompute())) {
      return Optional.empty();
    }
    int driver = majorOf(nvml.driverVersion());
    if (nvml.computeCapability(device) < VOLTA || driver < MPS_LIMITS) {
      LOG.warn(
          "MPS makes no slices of GPU {}: the GPU is older than Volta, or its driver is older than {}",
          uuid,
          MPS_LIMITS);
      return Optional.empty();
    }
    return mps.get()
        .protocol(
            uuid,
            driver,
            mps.get().protocols().stream()
                .filter(protocol -> !limitsMemory || protocol == MpsProtocol.V3)
                .toList());
  }

  private static int majorOf(String version) {
    String digits = version.replaceFirst("[^0-9].*", "");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  /// Whether a limit by cgroup can be set. Tried out, because it takes the driver, this GPU and the
  /// machine's cgroups together: on a cgroup without processes, and with no limit.
  private boolean limitsMemory(Nvml.Device device) {
    Optional<Path> probe = cgroups.apply("probe");
    if (!nvml.canLimitMemory() || probe.isEmpty()) {
      return false;
    }
    try {
      Files.createDirectories(probe.get());
      try {
        nvml.unlimitMemory(device, probe.get());
        return true;
      } finally {
        Files.deleteIfExists(probe.get());
      }
    } catch (NvmlException | IOException e) {
      LOG.warn("the NVIDIA driver does not limit GPU memory by cgroup: {}", e.getMessage());
      return false;
    }
  }
}
