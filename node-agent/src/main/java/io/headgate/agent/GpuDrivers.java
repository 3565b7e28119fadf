package io.headgate.agent;

import io.headgate.agent.driver.CpuOnlyDriver;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.driver.nvml.NvmlUnavailableException;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.agent.process.Cgroups;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chooses the driver of a machine's GPUs.
final class GpuDrivers {
  private static final Logger LOG = LoggerFactory.getLogger(GpuDrivers.class);

  private GpuDrivers() {}

  /// @param cgroups of the jobs
  /// @throws UncheckedIOException when GPUs are demanded and there are none
  static GpuDriver open(AgentConfig config, String nodeId, Cgroups cgroups) {
    if (config.simulateGpus().isPresent()) {
      return new SimulatedGpuDriver(SimulatedGpus.parse(config.simulateGpus().get()), nodeId);
    }
    return switch (config.gpu().driver()) {
      case NONE -> new CpuOnlyDriver();
      case NVML -> required(config.gpu(), cgroups);
      case AUTO -> ifThere(config.gpu(), cgroups);
    };
  }

  private static GpuDriver required(GpuConfig config, Cgroups cgroups) {
    NvmlGpuDriver driver;
    try {
      driver = nvml(config, cgroups);
    } catch (NvmlUnavailableException e) {
      throw demanded(String.valueOf(e.getMessage()));
    }
    if (driver.devices().isEmpty()) {
      driver.close();
      throw demanded("the driver shows none that can be used");
    }
    return driver;
  }

  private static UncheckedIOException demanded(String problem) {
    return new UncheckedIOException(
        new IOException("gpu.driver nvml demands GPUs, but " + problem));
  }

  private static GpuDriver ifThere(GpuConfig config, Cgroups cgroups) {
    try {
      return nvml(config, cgroups);
    } catch (NvmlUnavailableException e) {
      if (e.isAbsent()) {
        LOG.info("a machine without GPUs: {}", e.getMessage());
      } else {
        LOG.warn("a machine without GPUs for now: {}", e.getMessage());
      }
      return new CpuOnlyDriver();
    }
  }

  private static NvmlGpuDriver nvml(GpuConfig config, Cgroups cgroups) {
    NvmlGpuDriver.Settings settings =
        new NvmlGpuDriver.Settings(
            config.nvml().library(),
            config.nvml().timeout(),
            config.mig().strangers() == GpuConfig.Mig.Strangers.REMOVE,
            cgroups::of);
    NvmlGpuDriver driver = NvmlGpuDriver.open(settings, NvmlSteps.NONE);
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
