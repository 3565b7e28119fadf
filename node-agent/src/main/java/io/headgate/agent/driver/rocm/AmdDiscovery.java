package io.headgate.agent.driver.rocm;

import io.headgate.agent.driver.GpuDriverException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out what this machine's AMD GPUs are and can.
record AmdDiscovery(AmdLibrary library, Kfd kfd) {
  private static final Logger LOG = LoggerFactory.getLogger(AmdDiscovery.class);
  private static final Pattern INSTINCT = Pattern.compile("\\bMI[0-9]+[A-Z]*\\b");
  private static final Pattern MEMORY_MODE = Pattern.compile("NPS([0-9])");
  private static final int MAX_NAME = 64;

  /// The GPUs that answer; the log says why the others are left out.
  List<AmdGpu> gpus() {
    List<AmdLibrary.Device> first =
        library.devices().stream()
            .filter(device -> device.partition() == 0)
            .sorted(Comparator.comparing(AmdLibrary.Device::address))
            .toList();
    List<AmdGpu> gpus = new ArrayList<>();
    for (int i = 0; i < first.size(); i++) {
      try {
        gpus.add(gpu(i, first.get(i)));
      } catch (RocmException | GpuDriverException e) {
        // One broken GPU must not take the others out of use.
        LOG.error(
            "the agent does not use GPU {} at {}: {}", i, first.get(i).address(), e.getMessage());
      }
    }
    return gpus;
  }

  private AmdGpu gpu(int index, AmdLibrary.Device device) {
    long id = library.uniqueId(device);
    return new AmdGpu(
        index,
        id == 0 ? "PCI-" + device.address() : uuid(id),
        model(library.name(device)),
        library.memoryBytes(device),
        device.address(),
        modes(device));
  }

  /// The GPU's name in AMD's own programs.
  static String uuid(long uniqueId) {
    return "GPU-%016x".formatted(uniqueId);
  }

  /// `AMD Instinct MI300X OAM` is `MI300X`; a name that is not understood stays, less its spaces.
  static String model(String name) {
    Matcher instinct = INSTINCT.matcher(name);
    if (instinct.find()) {
      return instinct.group();
    }
    String joined = name.replaceFirst("^AMD +", "").replaceAll("[^A-Za-z0-9._-]+", "");
    return joined.isEmpty() ? "unknown" : joined.substring(0, Math.min(MAX_NAME, joined.length()));
  }

  /// The modes that the driver offers and in which it keeps the partitions' memory apart. Where the
  /// agent may not change the mode, the present one.
  private List<PartitionMode> modes(AmdLibrary.Device device) {
    PciAddress address = device.address();
    List<PartitionMode> offered =
        Arrays.stream(kfd.attribute(address, "available_compute_partition").split(",", -1))
            .flatMap(name -> PartitionMode.of(name).stream())
            .sorted()
            .toList();
    if (offered.isEmpty()) {
      return List.of();
    }
    if (!library.hasModes()) {
      requireUndivided(address);
      LOG.warn("the GPU at {} is not divided: this ROCm SMI is too old to do that", address);
      return List.of();
    }
    if (sharesMemory(address)) {
      LOG.warn(
          "partitions of the GPU at {} share its memory, so it is not divided by them", address);
      return List.of();
    }
    if (!kfd.isWritable(address, Kfd.MODE)) {
      String mode = library.mode(device);
      LOG.warn("the mode of the GPU at {} stays {}: only root can change it", address, mode);
      return PartitionMode.of(mode).filter(kept -> kept != PartitionMode.SPX).stream().toList();
    }
    // A partition has at least one part of the memory to itself.
    int memoryParts = memoryParts(kfd.attribute(address, "current_memory_partition"));
    return offered.stream().filter(mode -> mode.partitions() >= memoryParts).toList();
  }

  private void requireUndivided(PciAddress address) {
    String mode = kfd.attribute(address, Kfd.MODE);
    if (!PartitionMode.of(mode).equals(Optional.of(PartitionMode.SPX))) {
      throw new GpuDriverException(
          "it is in mode %s, and this ROCm SMI is too old to know modes".formatted(mode));
    }
  }

  /// Newer kernels can let every partition allocate all of the memory.
  private boolean sharesMemory(PciAddress address) {
    String allocation = kfd.attribute(address, "compute_partition_mem_alloc_mode");
    return !allocation.isEmpty() && !allocation.contains("EVEN");
  }

  private static int memoryParts(String mode) {
    Matcher matcher = MEMORY_MODE.matcher(mode);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : 1;
  }
}
