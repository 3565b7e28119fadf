package io.headgate.agent.driver.rocm;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.DeviceReading.Figures;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How AMD's GPUs do, as the kernel shows.
class AmdHealthTest {
  private static final String GPU = FakeAmdGpus.uuid(0);

  @TempDir Path root;

  private RocmGpuDriver open(FakeAmdGpus gpus) {
    return RocmGpuDriver.open(
        new RocmGpuDriver.Settings(
            List.of(gpus.library().toString()), Duration.ofSeconds(60), gpus.sysfs()),
        RocmSteps.NONE);
  }

  @Test
  void readsWhatTheKernelShows() {
    FakeAmdGpus gpus = FakeAmdGpus.in(root).withMi300x();
    gpus.write(0, "gpu_busy_percent", "42");
    gpus.write(0, "mem_info_vram_used", "1073741824");
    gpus.write(0, "hwmon/hwmon3/temp1_input", "55000");
    gpus.write(0, "hwmon/hwmon3/power1_input", "312000000");
    gpus.write(0, "ras/umc_err_count", "ue: 0\nce: 3");
    gpus.write(0, "ras/gfx_err_count", "ue: 0\nce: 1");
    gpus.write(0, "ras/gpu_vram_bad_pages", "0x00000001 : 0x00001000 : R");
    try (RocmGpuDriver driver = open(gpus)) {
      assertThat(driver.read(GPU))
          .isEqualTo(
              new DeviceReading(
                  List.of(),
                  new Figures(
                      OptionalDouble.of(0.42),
                      OptionalLong.of(1L << 30),
                      OptionalLong.of(192L << 30),
                      OptionalDouble.of(55),
                      OptionalDouble.of(312),
                      OptionalDouble.empty(),
                      OptionalLong.of(4),
                      OptionalLong.of(0))));
    }
  }

  @Test
  void takesWhatIsNotShownForNothingWrong() {
    FakeAmdGpus gpus = FakeAmdGpus.in(root).withMi210();
    try (RocmGpuDriver driver = open(gpus)) {
      DeviceReading reading = driver.read(GPU);
      assertThat(reading.signs()).isEmpty();
      assertThat(reading.figures().uncorrected()).isEmpty();
    }
  }

  @Test
  void seesErrorsBadPagesAndThatOneIsGone() {
    FakeAmdGpus gpus = FakeAmdGpus.in(root).withMi300x().withMi300x();
    gpus.write(0, "ras/umc_err_count", "ue: 2\nce: 0");
    gpus.write(
        0,
        "ras/gpu_vram_bad_pages",
        "0x00000001 : 0x00001000 : P\n0x00000002 : 0x00001000 : F\n0x00000003 : 0x00001000 : F");
    try (RocmGpuDriver driver = open(gpus)) {
      assertThat(driver.read(GPU).signs())
          .containsExactly(
              new DeviceSign.Uncorrected(2),
              new DeviceSign.PagesStuck(2),
              new DeviceSign.PagesPending());
      gpus.isGone(0);
      assertThat(driver.read(GPU).signs())
          .containsExactly(new DeviceSign.Gone("it is not on its bus any more"));
      assertThat(driver.read(FakeAmdGpus.uuid(1)).signs()).isEmpty();
    }
  }
}
