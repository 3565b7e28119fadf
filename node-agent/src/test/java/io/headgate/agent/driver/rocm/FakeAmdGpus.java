package io.headgate.agent.driver.rocm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/// A machine with AMD GPUs that do not exist: a `/sys` and a real `librocm_smi64.so` in front of
/// it, written in C (`src/test/c/rocm/fake.c` says how it is kept). Whatever loads that library, in
/// this process or another, sees the same GPUs.
public final class FakeAmdGpus {
  public static final long GIB = 1L << 30;

  private final Path library;
  private final Path sysfs;

  private FakeAmdGpus(Path library, Path sysfs) {
    this.library = library;
    this.sysfs = sysfs;
  }

  /// A machine with the kernel's driver and without GPUs yet.
  public static FakeAmdGpus in(Path directory) {
    try {
      // A file of its own each time: the same file loaded twice is one library with one state.
      Path library = directory.resolve("librocm_smi64.so");
      Files.copy(Path.of(System.getProperty("headgate.test.fakes"), "librocm_smi64.so"), library);
      FakeAmdGpus gpus = new FakeAmdGpus(library, directory.resolve("gpus"));
      Files.createDirectories(gpus.sysfs.resolve("module/amdgpu"));
      Files.createDirectories(gpus.sysfs.resolve("bus/pci/devices"));
      Files.createDirectories(gpus.sysfs.resolve("class/kfd/kfd/proc"));
      Files.createDirectories(gpus.sysfs.resolve("class/kfd/kfd/topology/nodes/0"));
      return gpus;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Another MI300X with 192 GiB, in the mode SPX.
  public FakeAmdGpus withMi300x() {
    int index = devices().size();
    plain(index, "AMD Instinct MI300X OAM", 192);
    write(index, "available_compute_partition", "SPX, DPX, QPX, CPX");
    write(index, "current_compute_partition", "SPX");
    write(index, "current_memory_partition", "NPS1");
    return this;
  }

  /// Another MI210 with 64 GiB, which has no modes.
  public FakeAmdGpus withMi210() {
    plain(devices().size(), "AMD Instinct MI210", 64);
    return this;
  }

  private void plain(int index, String name, int gib) {
    write(index, "name", name);
    write(index, "product_name", name);
    write(index, "unique_id", "%016x".formatted(0xa0L << 56 | (long) index << 32));
    write(index, "mem_info_vram_total", Long.toString(gib * GIB));
  }

  public static String uuid(int index) {
    return "GPU-%016x".formatted(0xa0L << 56 | (long) index << 32);
  }

  public Path library() {
    return library;
  }

  /// AMD SMI on the same machine.
  Path amdSmi() {
    return another("libamd_smi.so");
  }

  /// A ROCm SMI that knows no modes.
  Path olderLibrary() {
    return another("librocm_smi64-5.so");
  }

  private Path another(String name) {
    try {
      return Files.copy(
          Path.of(System.getProperty("headgate.test.fakes"), name), library.resolveSibling(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path sysfs() {
    return sysfs;
  }

  public String mode(int gpu) {
    return read(device(gpu).resolve("current_compute_partition"));
  }

  /// Runs an action while the kernel refuses mode changes of a GPU and reports an unknown mode.
  void withoutModes(int gpu, Runnable tried) {
    Path mode = device(gpu).resolve("current_compute_partition");
    Path kept = mode.resolveSibling("kept");
    try {
      Files.move(mode, kept);
      // Not to be written, by root neither.
      Files.createSymbolicLink(mode, Path.of("/proc/sys/kernel/ostype"));
      tried.run();
      Files.move(kept, mode, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Sets what the kernel shows of a GPU.
  void write(int gpu, String attribute, String value) {
    write(device(gpu).resolve(attribute), value);
  }

  /// It is on its bus no more.
  public void isGone(int gpu) {
    try {
      Files.move(device(gpu), sysfs.resolve("gone-" + gpu));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// From its next start on, each partition has an identity of its own.
  void namesPartitions(int gpu) {
    write(gpu, "partition_ids", "");
  }

  /// Adds a process with this much memory of a partition, in the GPU's present mode.
  public void process(long pid, int gpu, int partition, long bytes) {
    write(
        sysfs.resolve("class/kfd/kfd/proc").resolve(pid + "/vram_" + nodeId(gpu, partition)),
        Long.toString(bytes));
  }

  /// Has it no more.
  public void ended(long pid) {
    Path process = sysfs.resolve("class/kfd/kfd/proc").resolve(Long.toString(pid));
    try (Stream<Path> files = Files.list(process)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(process);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The next calls of the function answer this.
  void fault(String function, int code, int times) {
    write(sysfs.resolve("faults").resolve(function), code + " " + times);
  }

  void hang(String function) {
    write(sysfs.resolve("faults").resolve(function), "hang");
  }

  void works(String function) {
    try {
      Files.delete(sysfs.resolve("faults").resolve(function));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long nodeId(int gpu, int partition) {
    Path nodes = sysfs.resolve("class/kfd/kfd/topology/nodes");
    long location = (long) partition << 28 | (12L + gpu) << 8;
    for (String node : names(nodes)) {
      if (read(nodes.resolve(node + "/properties")).contains("location_id " + location + "\n")) {
        return Long.parseLong(read(nodes.resolve(node + "/gpu_id")));
      }
    }
    throw new IllegalArgumentException("no partition " + partition + " of GPU " + gpu);
  }

  private List<String> devices() {
    return names(sysfs.resolve("bus/pci/devices"));
  }

  private Path device(int index) {
    return sysfs.resolve("bus/pci/devices/0000:%02x:00.0".formatted(12 + index));
  }

  private static List<String> names(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
