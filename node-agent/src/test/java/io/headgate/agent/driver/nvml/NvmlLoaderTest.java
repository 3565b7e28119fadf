package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.patient;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A machine on which NVML does not work says why, in one sentence.
class NvmlLoaderTest {
  @TempDir Path root;

  private static GpuUnavailableException refusal(String library) {
    return refusal(
        new NvmlGpuDriver.Settings(
            library, NvmlDriverFixture.LONG, MigSettings.KEEP, _ -> Optional.empty()));
  }

  private static GpuUnavailableException refusal(NvmlGpuDriver.Settings settings) {
    return assertThatExceptionOfType(GpuUnavailableException.class)
        .isThrownBy(() -> open(settings))
        .actual();
  }

  @Test
  void withoutTheLibrary() {
    for (String library : new String[] {"libno-such-thing.so.1", root + "/libnvidia-ml.so.1"}) {
      assertThat(refusal(library))
          .hasMessage("no NVIDIA driver: the library %s is not installed", library);
      assertThat(refusal(library).isAbsent()).isTrue();
    }
  }

  @Test
  void withWhatIsNoLibrary() throws Exception {
    Path file = Files.writeString(root.resolve("libnvidia-ml.so.1"), "no library\n");

    assertThat(refusal(file.toString()))
        .hasMessageStartingWith(file + " cannot be loaded: ")
        .hasMessageNotContaining("\n");
    assertThat(refusal(file.toString()).isAbsent()).isFalse();
  }

  @Test
  void withALibraryThatLacksFunctions() {
    assertThat(refusal("libc.so.6"))
        .hasMessageContaining("the driver of libc.so.6 is too old: it lacks the function nvml");
  }

  @Test
  void withoutTheLoadedDriver() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580);
    gpus.isNotLoaded();

    assertThat(refusal(settings(gpus)))
        .hasMessage(
            "the NVIDIA driver is not loaded (%s is there; modprobe nvidia)", gpus.library());
    assertThat(refusal(settings(gpus)).isAbsent()).isFalse();
  }

  @Test
  void withALibraryOfAnotherVersionThanTheDriver() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580);
    gpus.fault("nvmlInitWithFlags", 18, 1);
    assertThat(refusal(settings(gpus))).hasMessageContaining("restart the machine");

    gpus.fault("nvmlInitWithFlags", 999, 1);
    assertThat(refusal(settings(gpus))).hasMessageEndingWith("does not start: Unknown Error (999)");
  }

  @Test
  void withALibraryThatHangs() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580);
    gpus.slow("nvmlInitWithFlags", 1000);

    assertThat(refusal(patient(gpus, Duration.ofMillis(100))))
        .hasMessage("NVML has not answered for 0.1 s");
  }

  @Test
  void worksWithoutAnyGpu() {
    try (NvmlGpuDriver driver = open(settings(FakeGpus.in(root, Version.V615)))) {
      assertThat(driver.devices()).isEmpty();
      assertThat(driver.description()).isEqualTo("nvml 615.71.09");
    }
  }
}
