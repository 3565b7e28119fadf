package io.headgate.agent.driver.rocm;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.type.GpuQuantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Parts of AMD's GPUs by the kernel's controller of device memory, as far as its files show it.
class DmemLimitTest {
  private static final String REGION = "drm/0000:0c:00.0/vram";
  private static final SliceGrant QUARTER =
      new SliceGrant(0, FakeAmdGpus.uuid(0), GpuQuantity.parse("1/4"), 0);
  private static final String PROBE = "headgate-dmem-probe";

  @TempDir Path root;
  private FakeAmdGpus gpus;
  private Path cgroups;

  @BeforeEach
  void install() throws IOException {
    gpus = FakeAmdGpus.in(root).withMi210();
    cgroups = Files.createDirectories(root.resolve("cgroup/agent"));
    Files.writeString(root.resolve("cgroup/dmem.capacity"), REGION + " 68719476736\n");
    makeCgroup(PROBE);
  }

  private Path makeCgroup(String name) throws IOException {
    return Files.createFile(Files.createDirectory(cgroups.resolve(name)).resolve("dmem.max"));
  }

  private RocmGpuDriver open() {
    return RocmGpuDriver.open(
        new RocmGpuDriver.Settings(
            List.of(gpus.library().toString()),
            Duration.ofSeconds(60),
            gpus.sysfs(),
            KernelDevices.HERE,
            Optional.of(name -> Optional.of(cgroups.resolve(name)))),
        RocmSteps.NONE);
  }

  private static SlicePlan plan(RocmGpuDriver driver) {
    return driver.plan(Fixtures.key("a"), List.of(QUARTER)).getFirst();
  }

  @Test
  void limitsTheCgroupOfTheJobWithoutPromisingThatItBites() throws IOException {
    Path limit = makeCgroup(Fixtures.key("a").directoryName());
    try (RocmGpuDriver driver = open()) {
      assertThat(cgroups.resolve(PROBE).resolve("dmem.max"))
          .content()
          .startsWith(REGION + " max\n");
      SlicePlan plan = plan(driver);
      assertThat(plan.mechanism()).isEqualTo("dmem");
      assertThat(plan.isolation()).isEqualTo(IsolationLevel.REACTIVE);
      assertThat(driver.devices().getFirst().isolation()).isEqualTo(IsolationLevel.REACTIVE);

      driver.realise(plan);
      assertThat(limit).content().startsWith(REGION + " 17179869184\n");
      driver.realise(plan);
      driver.release(plan);
      assertThat(limit).content().startsWith(REGION + " max\n");
      assertThat(driver.realisedSlices()).isEmpty();
    }
  }

  @Test
  void onlyWatchesWhereTheKernelDoesNotKnowTheMemory() throws IOException {
    Files.writeString(root.resolve("cgroup/dmem.capacity"), "drm/0000:99:00.0/vram 1\n");
    try (RocmGpuDriver driver = open()) {
      assertThat(plan(driver).mechanism()).isEqualTo("watched");
    }
  }

  @Test
  void onlyWatchesWhereTheKernelTakesNoLimit() throws IOException {
    Path file = cgroups.resolve(PROBE).resolve("dmem.max");
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("/dev/null"));
    try (RocmGpuDriver driver = open()) {
      assertThat(plan(driver).mechanism()).isEqualTo("watched");
    }
  }
}
