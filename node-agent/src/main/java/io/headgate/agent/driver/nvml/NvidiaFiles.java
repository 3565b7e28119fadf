package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.KernelDevices;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The device files of NVIDIA's driver, and which slice needs which, from the driver itself. The
/// job's `/dev` gets files that are missing on the machine, too.
record NvidiaFiles(KernelDevices kernel) {
  private static final Logger LOG = LoggerFactory.getLogger(NvidiaFiles.class);
  private static final int MAJOR = 195;
  private static final int CONTROL_MINOR = 255;
  private static final String MEMORY = "nvidia-uvm";
  private static final String CAPABILITIES = "nvidia-caps";
  private static final String CAPABILITY_MINORS = "driver/nvidia-caps/mig-minors";
  private static final int PATIENCE_SECONDS = 10;

  /// Programs load the module for managed memory, without which CUDA does not start, by a setuid
  /// helper, which gains nothing inside of a job; so it is run here.
  void loadMemoryModule() {
    if (kernel.major(MEMORY).isPresent()
        || !Files.isExecutable(Path.of("/usr/bin/nvidia-modprobe"))) {
      return;
    }
    ProcessBuilder builder =
        new ProcessBuilder("/usr/bin/nvidia-modprobe", "-c", "0", "-u")
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    try {
      Process helper = builder.start();
      if (!helper.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        helper.destroyForcibly();
      }
    } catch (IOException e) {
      LOG.warn("nvidia-modprobe cannot be run: {}", e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// The files that every GPU program needs.
  List<DeviceNode> common() {
    List<DeviceNode> nodes = new ArrayList<>();
    nodes.add(kernel.node("nvidiactl").orElse(new DeviceNode("nvidiactl", MAJOR, CONTROL_MINOR)));
    OptionalInt memory = kernel.major(MEMORY);
    if (memory.isPresent()) {
      nodes.add(new DeviceNode(MEMORY, memory.getAsInt(), 0));
      nodes.add(new DeviceNode("nvidia-uvm-tools", memory.getAsInt(), 1));
    } else {
      kernel.node(MEMORY).ifPresent(nodes::add);
      kernel.node("nvidia-uvm-tools").ifPresent(nodes::add);
      LOG.debug("the module {} is not loaded; CUDA does not start without it", MEMORY);
    }
    return nodes;
  }

  /// All of a GPU, or the way to its instances.
  DeviceNode gpu(int minor) {
    String name = "nvidia" + minor;
    return kernel.node(name).orElse(new DeviceNode(name, MAJOR, minor));
  }

  /// The files that give access to one GPU instance and its compute instance only.
  ///
  /// @throws GpuDriverException when the driver does not show them
  List<DeviceNode> instance(int minor, int gpuInstance, int computeInstance) {
    if (kernel.lines(CAPABILITY_MINORS).isEmpty()) {
      LOG.warn("the NVIDIA driver shows no capabilities; instances are not fenced from each other");
      return List.of();
    }
    String path = "gpu" + minor + "/gi" + gpuInstance;
    return List.of(
        capability(path + "/access"), capability(path + "/ci" + computeInstance + "/access"));
  }

  private DeviceNode capability(String path) {
    OptionalInt major = kernel.major(CAPABILITIES);
    Optional<Integer> minor = capabilityMinor(path);
    if (minor.isEmpty()) {
      throw new GpuDriverException("the NVIDIA driver shows no capability " + path);
    }
    String name = CAPABILITIES + "/nvidia-cap" + minor.get();
    return kernel
        .node(name)
        .or(() ->
            major.isPresent()
                ? Optional.of(new DeviceNode(name, major.getAsInt(), minor.get()))
                : Optional.empty())
        .orElseThrow(
            () -> new GpuDriverException("the NVIDIA driver has no devices " + CAPABILITIES));
  }

  private Optional<Integer> capabilityMinor(String path) {
    // "gpu0/gi3/ci0/access 31"
    return kernel.lines(CAPABILITY_MINORS).stream()
        .map(line -> line.strip().split(" +", -1))
        .filter(words -> words.length == 2 && words[0].equals(path) && words[1].matches("[0-9]+"))
        .map(words -> Integer.valueOf(words[1]))
        .findFirst();
  }
}
