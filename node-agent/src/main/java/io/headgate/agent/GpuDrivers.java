package io.headgate.agent;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.driver.CombinedDriver;
import io.headgate.agent.driver.CpuOnlyDriver;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.nvml.MigSettings;
import io.headgate.agent.driver.nvml.MpsProtocol;
import io.headgate.agent.driver.nvml.MpsSettings;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.driver.rocm.RocmGpuDriver;
import io.headgate.agent.driver.rocm.RocmSteps;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.CudaCheckpoint;
import io.headgate.agent.runtime.ledger.AgentNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chooses the driver of a machine's GPUs.
final class GpuDrivers {
  private static final Logger LOG = LoggerFactory.getLogger(GpuDrivers.class);

  private GpuDrivers() {}

  /// @param cgroups of the jobs
  /// @param migAuto whether MIG is turned on where no process uses the GPU
  /// @throws UncheckedIOException when GPUs are demanded and there are none
  static GpuDriver open(AgentConfig config, String nodeId, Cgroups cgroups, boolean migAuto) {
    if (config.simulateGpus().isPresent()) {
      return new SimulatedGpuDriver(SimulatedGpus.parse(config.simulateGpus().get()), nodeId);
    }
    GpuConfig gpu = config.gpu();
    return switch (gpu.driver()) {
      case NONE -> new CpuOnlyDriver();
      case NVML -> required("nvml", () -> nvml(config, cgroups, migAuto));
      case ROCM -> required("rocm", () -> told(rocm(gpu, cgroups)));
      case AUTO -> {
        List<GpuDriver> found =
            Stream.of(
                    ifThere(() -> nvml(config, cgroups, migAuto)),
                    ifThere(() -> told(rocm(gpu, cgroups))))
                .flatMap(Optional::stream)
                .toList();
        yield switch (found.size()) {
          case 0 -> new CpuOnlyDriver();
          case 1 -> found.getFirst();
          default -> new CombinedDriver(found);
        };
      }
    };
  }

  /// Opens the drivers, lists the GPUs and closes the drivers again.
  static MachineGpus look(GpuConfig gpu) {
    List<DeviceInfo> devices = new ArrayList<>();
    List<String> absent = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    List<Supplier<GpuDriver>> makers =
        List.of(
            () -> nvml(gpu, MpsSettings.OFF, Cgroups.none(), false),
            () -> rocm(gpu, Cgroups.none()));
    for (Supplier<GpuDriver> maker : makers) {
      try (GpuDriver driver = maker.get()) {
        if (driver.devices().isEmpty()) {
          problems.add(driver.description() + " shows no GPUs");
        }
        devices.addAll(driver.devices());
      } catch (GpuUnavailableException e) {
        (e.isAbsent() ? absent : problems).add(String.valueOf(e.getMessage()));
      }
    }
    return new MachineGpus(
        devices,
        absent,
        problems,
        devices.isEmpty() ? Optional.empty() : GpuLock.holder(gpu.lock()));
  }

  private static GpuDriver required(String name, Supplier<GpuDriver> opening) {
    GpuDriver driver;
    try {
      driver = opening.get();
    } catch (GpuUnavailableException e) {
      throw demanded(name, String.valueOf(e.getMessage()));
    }
    if (driver.devices().isEmpty()) {
      driver.close();
      throw demanded(name, "the driver shows no usable GPU");
    }
    return driver;
  }

  private static UncheckedIOException demanded(String name, String problem) {
    return new UncheckedIOException(
        new IOException("gpu.driver %s demands GPUs, but %s".formatted(name, problem)));
  }

  private static Optional<GpuDriver> ifThere(Supplier<GpuDriver> opening) {
    try {
      GpuDriver driver = opening.get();
      if (!driver.devices().isEmpty()) {
        return Optional.of(driver);
      }
      LOG.info("{} shows no GPUs", driver.description());
      driver.close();
    } catch (GpuUnavailableException e) {
      if (e.isAbsent()) {
        LOG.info("{}", e.getMessage());
      } else {
        LOG.warn("the agent uses no GPUs until its next start: {}", e.getMessage());
      }
    }
    return Optional.empty();
  }

  /// NVIDIA's.
  ///
  /// @throws GpuUnavailableException when there is no driver that works
  static GpuDriver nvml(AgentConfig agent, Cgroups cgroups, boolean migAuto) {
    GpuConfig gpu = agent.gpu();
    return told(nvml(gpu, mps(gpu.mps(), agent.data().toAbsolutePath()), cgroups, migAuto));
  }

  private static GpuDriver nvml(
      GpuConfig config, MpsSettings mps, Cgroups cgroups, boolean migAuto) {
    NvmlGpuDriver.Settings settings =
        new NvmlGpuDriver.Settings(
            config.nvml().library(),
            config.nvml().timeout(),
            new MigSettings(migAuto, config.mig().strangers() == GpuConfig.Mig.Strangers.REMOVE),
            cgroups::of,
            mps,
            KernelDevices.HERE,
            config
                .nvml()
                .checkpoint()
                .map(program -> new CudaCheckpoint(program, config.nvml().checkpointTimeout())),
            config.nvml().remains() == GpuConfig.Nvml.Remains.HOLD);
    return NvmlGpuDriver.open(settings, NvmlSteps.NONE);
  }

  private static MpsSettings mps(GpuConfig.Mps config, Path data) {
    return new MpsSettings(
        config.use() == GpuConfig.Mps.Use.OFF
            ? List.of()
            : switch (config.protocol()) {
              case AUTO -> List.of(MpsProtocol.V3, MpsProtocol.V2);
              case V2 -> List.of(MpsProtocol.V2);
              case V3 -> List.of(MpsProtocol.V3);
            },
        config.control(),
        config.directory().resolve(AgentNames.load(data).mps()),
        config.timeout(),
        config.reserve().bytes(),
        config.compute() == GpuConfig.Mps.Compute.LIMITED);
  }

  private static GpuDriver rocm(GpuConfig config, Cgroups cgroups) {
    RocmGpuDriver.Settings settings =
        new RocmGpuDriver.Settings(
            config.rocm().libraries(),
            config.rocm().timeout(),
            config.rocm().sysfs(),
            KernelDevices.HERE,
            config.rocm().dmem() == GpuConfig.Rocm.Dmem.AUTO
                ? Optional.of(cgroups::of)
                : Optional.empty());
    return RocmGpuDriver.open(settings, RocmSteps.NONE);
  }

  private static GpuDriver told(GpuDriver driver) {
    driver
        .devices()
        .forEach(device ->
            LOG.info(
                "GPU {} ({}): {}, {} MiB, {}; parts isolated by {}",
                device.index(),
                device.uuid(),
                device.model(),
                device.memoryBytes() >> 20,
                device.geometry(),
                device.isolation()));
    return driver;
  }
}
