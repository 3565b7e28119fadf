package io.headgate.agent.driver.nvml;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A machine with GPUs that do not exist behind a real `libnvidia-ml.so.1`, written in C
/// (`src/test/c/nvml/fake.h` says how it is kept). Whatever loads that library, in this process or
/// another, sees the same GPUs.
public final class FakeGpus {
  /// The version of the driver.
  public enum Version {
    /// Without limits of memory by cgroup.
    V580,
    /// With limits of memory by cgroup.
    V615
  }

  private static final Map<Integer, String> PROFILES =
      Map.of(19, "1g.10gb", 14, "2g.20gb", 9, "3g.40gb", 5, "4g.40gb", 0, "7g.80gb", 15, "1g.20gb");
  public static final long GIB = 1L << 30;

  private final Path library;
  private final Path state;

  private FakeGpus(Path library, Path state) {
    this.library = library;
    this.state = state;
  }

  /// A machine without GPUs yet.
  public static FakeGpus in(Path directory, Version version) {
    Path made =
        Path.of(
            System.getProperty("headgate.test.fakes"),
            "libnvidia-ml-" + version.name().substring(1) + ".so.1");
    try {
      // A file of its own each time: the same file loaded twice is one library with one state.
      Path library = directory.resolve("libnvidia-ml.so.1");
      Files.copy(made, library);
      return new FakeGpus(library, Files.createDirectory(directory.resolve("gpus")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Another H100 with 80 GiB, of which jobs can use 79.
  public FakeGpus with(boolean mig) {
    int index = (int) children(state).filter(name -> name.matches("[0-9]+")).count();
    makeDirectory(state.resolve("" + index));
    write(index + "/name", "NVIDIA H100 80GB HBM3");
    write(index + "/uuid", uuid(index));
    write(index + "/memory", 80 * GIB + " " + GIB);
    write(index + "/mig", mig ? "1" : "0");
    return this;
  }

  public static String uuid(int index) {
    return "GPU-0000000%d-1111-5222-8333-444444444444".formatted(index);
  }

  public Path library() {
    return library;
  }

  /// CUDA's driver library on the same machine.
  public Path cuda() {
    Path own = library.resolveSibling("libcuda.so.1");
    if (!Files.exists(own)) {
      try {
        Files.copy(Path.of(System.getProperty("headgate.test.fakes"), "libcuda.so.1"), own);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return own;
  }

  /// `cuda-checkpoint` on the same machine; tests inject faults by its actions, as for the library.
  public Path checkpoint() {
    Path own = library.resolveSibling("cuda-checkpoint");
    if (!Files.exists(own)) {
      try {
        Files.copy(
            Path.of(System.getProperty("headgate.test.fakes"), "cuda-checkpoint"),
            own,
            StandardCopyOption.COPY_ATTRIBUTES);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return own;
  }

  /// The process has memory of the GPU.
  public void uses(int gpu, long pid, long bytes) {
    uses(gpu, pid, bytes, "compute");
  }

  /// As long as it lives, the process has memory of the GPU.
  ///
  /// @param kind `compute`, `graphics` or `mps`
  public void uses(int gpu, long pid, long bytes, String kind) {
    makeDirectory(state.resolve(gpu + "/cuda"));
    write(gpu + "/cuda/" + pid, bytes + " " + kind + " -1");
  }

  /// Samples of processes' use of the GPU, oldest first.
  ///
  /// @param samples `PID PERCENT TIME`
  public void samples(int gpu, String... samples) {
    write(gpu + "/samples", String.join("\n", samples));
  }

  /// The process has no memory of the GPU any more.
  public void leaves(int gpu, long pid) {
    delete(gpu + "/cuda/" + pid);
  }

  /// Whether the GPU only says that it removes its instances.
  void keepsInstances(int gpu, boolean keeps) {
    if (keeps) {
      write(gpu + "/keeps-instances", "");
    } else {
      delete(gpu + "/keeps-instances");
    }
  }

  /// The GPU has `bytes` of memory in use that belong to no process.
  public void remains(int gpu, long bytes) {
    write(gpu + "/remains", Long.toString(bytes));
  }

  /// Processes that have memory of the GPU, living or not.
  public List<String> users(int gpu) {
    return children(state.resolve(gpu + "/cuda")).toList();
  }

  /// Nothing that programs ask for is refused any more.
  public void leaks() {
    write("leaks", "");
  }

  /// Programs that compute slow each other down.
  public void isContended() {
    write("contended", "");
  }

  /// A fault that breaks one program's use of a GPU breaks it for all.
  public void spills() {
    write("spills", "");
  }

  /// The GPU does not have instances of this size.
  public void lacks(int gpu, int profileId) {
    write(gpu + "/lacks", "" + profileId);
  }

  /// The control program of MPS. If its directory is below that of the library, it is told of
  /// faults like the library, as `mps-start` and `mps-command`.
  public static Path mpsControl() {
    return Path.of(System.getProperty("headgate.test.fakes"), "nvidia-cuda-mps-control");
  }

  /// A program that uses CUDA; it says how it is limited, and allocates as many MiB as its argument
  /// says.
  public static Path cudaProgram() {
    return Path.of(System.getProperty("headgate.test.fakes"), "fake-cuda");
  }

  /// Which generation the GPU is, as CUDA counts.
  public void capability(int gpu, int major) {
    write(gpu + "/capability", "" + major);
  }

  public void isNotLoaded() {
    write("not-loaded", "");
  }

  void name(int gpu, String name) {
    write(gpu + "/name", name);
  }

  /// MIG's mode, and after a comma what it would be after a reset, if that is another.
  public String migMode(int gpu) {
    String pending = read(gpu + "/mig-pending");
    return read(gpu + "/mig") + (pending.isEmpty() ? "" : "," + pending);
  }

  /// Changes of MIG's mode answer this, although the call itself succeeds.
  void activation(int gpu, int code) {
    write(gpu + "/activation", "" + code);
  }

  /// MIG was turned on elsewhere, for after the next reset.
  void migPending(int gpu) {
    write(gpu + "/mig-pending", "1");
  }

  /// As NVML numbers it: 2 is a virtual GPU.
  void virtualization(int gpu, int mode) {
    write(gpu + "/virtualization", "" + mode);
  }

  /// The GPU has no MIG.
  void hasNoMig(int gpu) {
    delete(gpu + "/mig");
  }

  void mig(int gpu, boolean on) {
    write(gpu + "/mig", on ? "1" : "0");
  }

  /// The readings of the GPU, each `<name> <number>`.
  public void readings(int gpu, String... lines) {
    write(gpu + "/readings", String.join("\n", lines));
  }

  /// The GPU reports an error.
  public void xid(int gpu, int number) {
    write("events.new", gpu + " 8 " + number);
    try {
      Files.move(state.resolve("events.new"), state.resolve("events"), ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Whether all errors that GPUs reported were taken by a waiting listener.
  public boolean isHeard() {
    return !Files.exists(state.resolve("events"));
  }

  public void isBack(int gpu) {
    delete(gpu + "/lost");
  }

  public void isLost(int gpu) {
    write(gpu + "/lost", "");
  }

  /// The next calls of the function answer this.
  public void fault(String function, int code, int times) {
    makeDirectory(state.resolve("faults"));
    write("faults/" + function, code + " " + times);
  }

  void slow(String function, int millis) {
    makeDirectory(state.resolve("faults"));
    write("faults/" + function, "slow " + millis);
  }

  /// Calls of the function do not return until it works again.
  public void hang(String function) {
    makeDirectory(state.resolve("faults"));
    write("faults/" + function, "hang");
  }

  public void works(String function) {
    delete("faults/" + function);
  }

  /// A MIG instance that Headgate did not make.
  public void instance(int gpu, int profileId, int start, int size) {
    makeDirectory(state.resolve(gpu + "/gi/1"));
    write(gpu + "/gi/1/info", profileId + " " + start + " " + size);
  }

  /// Processes of a GPU, each `<pid> <bytes> compute|graphics|mps <GPU instance or -1>`.
  public void processes(int gpu, String... lines) {
    write(gpu + "/processes", String.join("\n", lines));
  }

  /// CUDA cannot have a program that is suspended go on.
  public void isGivenUp(long pid) {
    write("checkpoint/" + pid, "failed");
  }

  /// MIG instances of a GPU, complete ones as `1g.10gb@6`, those without a compute instance as
  /// `1g.10gb@6 alone`.
  public List<String> instances(int gpu) {
    Path instances = state.resolve(gpu + "/gi");
    List<String> found = new ArrayList<>();
    children(instances)
        .forEach(id -> {
          String[] info = read(gpu + "/gi/" + id + "/info").split(" ", -1);
          boolean complete = Files.exists(instances.resolve(id + "/ci"));
          found.add(
              PROFILES.get(Integer.valueOf(info[0])) + "@" + info[1] + (complete ? "" : " alone"));
        });
    return found.stream().sorted().toList();
  }

  /// UUIDs of the complete MIG instances of a GPU.
  public List<String> migUuids(int gpu) {
    return children(state.resolve(gpu + "/gi"))
        .map(id -> read(gpu + "/gi/" + id + "/ci").split(" ", -1))
        .filter(info -> info.length == 2)
        .map(info -> info[1])
        .sorted()
        .toList();
  }

  /// Limits of memory of a GPU as `<last name of the cgroup> <soft> <hard>`.
  public List<String> limits(int gpu) {
    return children(state.resolve(gpu + "/limits"))
        .map(
            name -> name.substring(name.lastIndexOf('%') + 1) + " " + read(gpu + "/limits/" + name))
        .sorted()
        .toList();
  }

  /// The changes made so far.
  public List<String> calls() {
    String text = read("calls");
    return text.isEmpty() ? List.of() : text.lines().toList();
  }

  private static Stream<String> children(Path directory) {
    try (Stream<Path> children = Files.list(directory)) {
      return children
          .map(child -> child.getFileName().toString())
          .filter(name -> !name.endsWith(".new"))
          .collect(Collectors.toList())
          .stream();
    } catch (NoSuchFileException _) {
      return Stream.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void makeDirectory(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(String file, String text) {
    try {
      Files.writeString(state.resolve(file), text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void delete(String file) {
    try {
      Files.deleteIfExists(state.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String read(String file) {
    try {
      return Files.readString(state.resolve(file)).strip();
    } catch (NoSuchFileException _) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
