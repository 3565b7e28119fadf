package io.headgate.agent.driver.rocm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.type.GpuQuantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// On machines that have AMD SMI and no ROCm SMI.
class AmdSmiTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int NO_PERMISSION = 10;
  private static final int BUSY = 30;

  @TempDir Path root;
  private FakeAmdGpus gpus;
  private Path library;

  @BeforeEach
  void install() {
    gpus = FakeAmdGpus.in(root);
    library = gpus.amdSmi();
  }

  private RocmGpuDriver open() {
    return RocmGpuDriver.open(
        new RocmGpuDriver.Settings(
            List.of("librocm-smi-of-nobody.so", library.toString()), LONG, gpus.sysfs()),
        RocmSteps.NONE);
  }

  private static SlicePlan quarter(RocmGpuDriver driver, String job, int start) {
    return driver
        .plan(
            Fixtures.key(job),
            List.of(
                new SliceGrant(
                    1,
                    FakeAmdGpus.uuid(1),
                    GpuQuantity.parse("1/4"),
                    0,
                    Optional.of(new SlicePlace("QPX", start, 2)))))
        .getFirst();
  }

  @Test
  void gpusAreTheSame() {
    gpus.withMi210().withMi300x();
    List<DeviceInfo> devices;
    try (RocmGpuDriver driver =
        RocmGpuDriver.open(
            new RocmGpuDriver.Settings(List.of(gpus.library().toString()), LONG, gpus.sysfs()),
            RocmSteps.NONE)) {
      devices = driver.devices();
    }
    try (RocmGpuDriver driver = open()) {
      assertThat(driver.description()).isEqualTo("amdsmi");
      assertThat(driver.devices()).hasSize(2).isEqualTo(devices);
    }
  }

  @Test
  void putsAGpuIntoItsModeAndGivesItsPartitionsOut() {
    gpus.withMi210().withMi300x();
    try (RocmGpuDriver driver = open()) {
      for (int place = 0; place < 8; place += 2) {
        SlicePlan plan = quarter(driver, "j" + place, place);
        driver.realise(plan);
        assertThat(driver.environment(List.of(plan)))
            .as("after the other GPU")
            .containsEntry("ROCR_VISIBLE_DEVICES", Integer.toString(1 + place / 2));
      }
    }
    assertThat(gpus.mode(1)).isEqualTo("QPX");
    try (RocmGpuDriver driver = open()) {
      assertThat(driver.devices()).as("not one for each partition").hasSize(2);
    }
  }

  @Test
  void saysWhatTheLibrarySays() {
    gpus.withMi210().withMi300x();
    try (RocmGpuDriver driver = open()) {
      SlicePlan plan = quarter(driver, "a", 0);
      gpus.fault("amdsmi_get_gpu_compute_partition", NO_PERMISSION, 1);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(plan))
          .withMessageEndingWith(
              "amdsmi_get_gpu_compute_partition: AMDSMI_STATUS_NO_PERM (%d)", NO_PERMISSION);
      gpus.fault("amdsmi_get_gpu_memory_total", 2, 1);
    }
    try (RocmGpuDriver driver = open()) {
      assertThat(driver.devices())
          .as("one that does not answer costs no other")
          .extracting(DeviceInfo::index)
          .containsExactly(1);
    }
  }

  @Test
  void saysWhyItDoesNotStart() {
    gpus.fault("amdsmi_init", BUSY, 1);
    assertThatExceptionOfType(GpuUnavailableException.class)
        .isThrownBy(this::open)
        .withMessage("%s does not start: AMDSMI_STATUS_BUSY (%d)", library, BUSY);
    gpus.withMi210();
    gpus.fault("amdsmi_get_socket_handles", NO_PERMISSION, 1);
    assertThatExceptionOfType(GpuUnavailableException.class)
        .isThrownBy(this::open)
        .withMessageStartingWith("amdsmi_get_socket_handles: ");
  }
}
