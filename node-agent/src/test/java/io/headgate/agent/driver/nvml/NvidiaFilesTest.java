package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.LONG;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.mig;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.part;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which device files a slice gets, on a machine whose kernel shows what NVIDIA's driver would.
class NvidiaFilesTest {
  private static final List<DeviceNode> COMMON =
      List.of(
          new DeviceNode("nvidiactl", 195, 255),
          new DeviceNode("nvidia-uvm", 510, 0),
          new DeviceNode("nvidia-uvm-tools", 510, 1));

  @TempDir Path root;

  private NvmlGpuDriver driver(FakeGpus gpus) throws IOException {
    Path proc = Files.createDirectories(root.resolve("proc/driver/nvidia-caps"));
    Files.writeString(
        root.resolve("proc/devices"),
        "Character devices:\n  1 mem\n195 nvidia\n237 nvidia-caps\n510 nvidia-uvm\n\n"
            + "Block devices:\n511 nvidia-uvm\n");
    Files.writeString(
        proc.resolve("mig-minors"),
        "config 1\nmonitor 2\ngpu0/gi1/access 12\ngpu0/gi1/ci0/access 13\ngpu0/gi11/access 99\n");
    return open(
        new NvmlGpuDriver.Settings(
            gpus.library().toString(),
            LONG,
            MigSettings.KEEP,
            _ -> Optional.empty(),
            MpsSettings.OFF,
            new KernelDevices(Files.createDirectory(root.resolve("dev")), root.resolve("proc"))));
  }

  @Test
  void aGpuIsItsOwnFileAndThoseOfAllGpus() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false).with(false);
    try (NvmlGpuDriver driver = driver(gpus)) {
      SlicePlan second = plan(driver, "second", part(1, "1/2"));
      driver.realise(second);
      assertThat(driver.deviceNodes(List.of(second)))
          .first()
          .isEqualTo(new DeviceNode("nvidia1", 195, 1));
      assertThat(driver.deviceNodes(List.of(second)).subList(1, 4)).isEqualTo(COMMON);
      assertThat(driver.deviceNodes(List.of())).as("of a job without GPUs").isEmpty();
    }
  }

  @Test
  void anInstanceIsTheWayToItAndItsCapabilities() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(true);
    try (NvmlGpuDriver driver = driver(gpus)) {
      SlicePlan slice = plan(driver, "slice", mig(0, "1/7", "1g.10gb", 6, 1));
      driver.realise(slice);
      assertThat(driver.deviceNodes(List.of(slice)))
          .containsExactly(
              new DeviceNode("nvidia0", 195, 0),
              new DeviceNode("nvidia-caps/nvidia-cap12", 237, 12),
              new DeviceNode("nvidia-caps/nvidia-cap13", 237, 13),
              COMMON.get(0),
              COMMON.get(1),
              COMMON.get(2));
      SlicePlan unknown = plan(driver, "unknown", mig(0, "1/7", "1g.10gb", 0, 1));
      driver.realise(unknown);
      assertThatExceptionOfType(GpuDriverException.class)
          .as("rather nothing than all")
          .isThrownBy(() -> driver.deviceNodes(List.of(unknown)))
          .withMessage("the NVIDIA driver shows no capability gpu0/gi2/access");
    }
  }
}
