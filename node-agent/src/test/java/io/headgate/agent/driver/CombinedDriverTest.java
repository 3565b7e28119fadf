package io.headgate.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.MigSettings;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.driver.rocm.FakeAmdGpus;
import io.headgate.agent.driver.rocm.RocmGpuDriver;
import io.headgate.agent.driver.rocm.RocmSteps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// NVIDIA's GPUs and AMD's in one machine.
class CombinedDriverTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path root;

  private GpuDriver withTheFirstLost() throws IOException {
    FakeGpus nvidias = FakeGpus.in(root, FakeGpus.Version.V580).with(false).with(false);
    nvidias.isLost(0);
    FakeAmdGpus amds = FakeAmdGpus.in(Files.createDirectory(root.resolve("amd"))).withMi210();
    return new CombinedDriver(
        List.of(
            NvmlGpuDriver.open(
                new NvmlGpuDriver.Settings(
                    nvidias.library().toString(), LONG, MigSettings.KEEP, _ -> Optional.empty()),
                NvmlSteps.NONE),
            RocmGpuDriver.open(
                new RocmGpuDriver.Settings(List.of(amds.library().toString()), LONG, amds.sysfs()),
                RocmSteps.NONE)));
  }

  @Test
  void noTwoGpusHaveOneNumberWhereOneIsLeftOut() throws Exception {
    try (GpuDriver both = withTheFirstLost()) {
      assertThat(both.devices()).extracting(DeviceInfo::index).containsExactly(1, 2);
    }
  }

  @Test
  void aGpuThatIsNotThereIsSilent() throws Exception {
    try (GpuDriver both = withTheFirstLost()) {
      assertThat(both.read(FakeGpus.uuid(0)).signs())
          .containsExactly(new DeviceSign.Silent("this machine has no GPU " + FakeGpus.uuid(0)));
    }
  }
}
