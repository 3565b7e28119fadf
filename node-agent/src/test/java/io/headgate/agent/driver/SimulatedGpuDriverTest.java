package io.headgate.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.type.GpuQuantity;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulatedGpuDriverTest {
  private final SimulatedGpuDriver driver =
      new SimulatedGpuDriver(SimulatedGpus.parse("2xH100"), "n1");

  private SlicePlan plan(String job, int device, String gpus) {
    AttemptKey key = Fixtures.key(job);
    DeviceInfo on = driver.devices().get(device);
    return driver
        .plan(key, List.of(new SliceGrant(device, on.uuid(), GpuQuantity.parse(gpus), 0)))
        .getFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "8xH100, 8, H100, 85899345920, CONTINUOUS",
    "8xA100-80GiB, 8, A100, 85899345920, CONTINUOUS",
    "1xTinyGpu-512MiB, 1, TinyGpu, 536870912, CONTINUOUS",
    "2xX-24GB, 2, X, 24000000000, CONTINUOUS",
    "2xH100-mig, 2, H100, 85899345920, MIG",
    "4xA100-40GiB-mig, 4, A100, 42949672960, MIG",
    "4xMI300X-amd, 4, MI300X, 206158430208, AMD_PARTITION",
    "0, 0, none, 0, CONTINUOUS"
  })
  void readsWhatToSimulate(
      String text, int count, String model, long bytes, DeviceInfo.Geometry geometry) {
    assertThat(SimulatedGpus.parse(text))
        .isEqualTo(new SimulatedGpus(count, model, bytes, geometry));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "H100", "8x", "xH100", "8 x H100", "8xNoSuchModel", "999xH100", "-1xH100"})
  void refusesWhatItCannotRead(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> SimulatedGpus.parse(text));
  }

  @Test
  void hasTheSameDevicesAtEveryStartAndNoneOfAnotherAgent() {
    assertThat(new SimulatedGpuDriver(SimulatedGpus.parse("2xH100"), "n1").devices())
        .isEqualTo(driver.devices());
    assertThat(new SimulatedGpuDriver(SimulatedGpus.parse("2xH100"), "n2").devices())
        .doesNotContainAnyElementsOf(driver.devices());
    assertThat(driver.devices())
        .allSatisfy(device -> {
          assertThat(device.uuid()).startsWith("SIM-");
          assertThat(device.isolation()).isEqualTo(IsolationLevel.NONE);
        });
  }

  @Test
  void realisesAndReleasesIdempotentlyAndNeverTooMuch() {
    SlicePlan half = plan("a", 0, "1/2");
    driver.realise(half);
    driver.realise(half);
    driver.realise(plan("b", 0, "1/2"));

    assertThat(driver.realisedSlices()).hasSize(2);
    assertThatExceptionOfType(GpuDriverException.class)
        .isThrownBy(() -> driver.realise(plan("c", 0, "1/7")))
        .withMessageContaining("0 of it is free");
    driver.realise(plan("c", 1, "1/7"));
    driver.release(half);
    driver.release(half);
    driver.realise(plan("d", 0, "1/2"));
    assertThat(driver.realisedSlices()).hasSize(3);
  }

  @Test
  void sharesADeviceInSevenExactly() {
    for (int i = 0; i < 7; i++) {
      driver.realise(plan("s" + i, 0, "1/7"));
    }
    assertThatExceptionOfType(GpuDriverException.class)
        .isThrownBy(() -> driver.realise(plan("more", 0, "1/1000")));
  }

  @Test
  void showsAJobItsOwnDevicesOnly() {
    assertThat(driver.environment(List.of(plan("a", 1, "1"))))
        .containsEntry("CUDA_VISIBLE_DEVICES", driver.devices().get(1).uuid());
    assertThat(driver.environment(List.of()))
        .containsEntry("CUDA_VISIBLE_DEVICES", "")
        .containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    assertThat(new CpuOnlyDriver().environment(List.of())).isEqualTo(driver.environment(List.of()));
  }
}
