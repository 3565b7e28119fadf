package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.mig;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.part;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceInfo.Geometry;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The driver enables MIG on GPUs where it is configured, possible and disturbs no job.
class MigModeTest {
  private static final int AMPERE = 8;
  private static final int VIRTUAL = 2;
  private static final int HOST_OF_VIRTUAL = 3;
  private static final int IN_USE = 19;
  private static final Set<String> NOTHING_HELD = Set.of();

  @TempDir Path root;
  private FakeGpus gpus;

  @BeforeEach
  void install() {
    gpus = FakeGpus.in(root, Version.V615).with(false);
  }

  private NvmlGpuDriver.Settings settings(boolean turnsOn) {
    return settings(turnsOn, NvmlDriverFixture.LONG);
  }

  private NvmlGpuDriver.Settings settings(boolean turnsOn, Duration patience) {
    return new NvmlGpuDriver.Settings(
        gpus.library().toString(),
        patience,
        new MigSettings(turnsOn, false),
        _ -> Optional.empty());
  }

  private static List<Geometry> geometries(NvmlGpuDriver driver) {
    return driver.devices().stream().map(DeviceInfo::geometry).toList();
  }

  private static List<DeviceSign> signs(NvmlGpuDriver driver) {
    return driver.read(FakeGpus.uuid(0)).signs();
  }

  @Test
  void turnsItOnAndShowsTheGpuAsItIsThen() {
    try (NvmlGpuDriver driver = open(settings(true))) {
      assertThat(geometries(driver)).containsExactly(Geometry.CONTINUOUS);
      driver.prepare(NOTHING_HELD);
      assertThat(gpus.migMode(0)).isEqualTo("1");
      DeviceInfo device = driver.devices().getFirst();
      assertThat(device.geometry()).isEqualTo(Geometry.MIG);
      assertThat(device.isolation()).isEqualTo(IsolationLevel.HARDWARE);
      assertThat(device.slices()).isPresent();
      assertThat(signs(driver)).isEmpty();
      driver.realise(plan(driver, "a", mig(0, "1/7", "1g.10gb", 6, 1)));
      assertThat(gpus.instances(0)).containsExactly("1g.10gb@6");
    }
    try (NvmlGpuDriver next = open(settings(true))) {
      next.prepare(NOTHING_HELD);
      assertThat(geometries(next)).containsExactly(Geometry.MIG);
      assertThat(gpus.calls()).containsOnlyOnce("mig 0 1");
    }
  }

  @Test
  void keepsTheModeUnlessItIsTold() {
    try (NvmlGpuDriver driver = open(settings(false))) {
      driver.prepare(NOTHING_HELD);
      assertThat(geometries(driver)).containsExactly(Geometry.CONTINUOUS);
      assertThat(gpus.calls()).isEmpty();
    }
  }

  @Test
  void leavesAloneWhatItIsNotFor() {
    gpus.with(false).with(false).with(false).with(false).with(false);
    gpus.migPending(5);
    gpus.capability(0, AMPERE);
    gpus.hasNoMig(1);
    gpus.virtualization(2, VIRTUAL);
    gpus.virtualization(3, HOST_OF_VIRTUAL);
    try (NvmlGpuDriver driver = open(settings(true))) {
      driver.prepare(NOTHING_HELD);
      assertThat(geometries(driver))
          .containsExactly(
              Geometry.CONTINUOUS,
              Geometry.CONTINUOUS,
              Geometry.CONTINUOUS,
              Geometry.CONTINUOUS,
              Geometry.MIG,
              Geometry.CONTINUOUS);
      assertThat(gpus.calls()).containsExactly("mig 4 1");
      assertThat(gpus.migMode(5)).isEqualTo("0,1");
      assertThat(signs(driver)).as("nothing is wrong with that").isEmpty();
    }
  }

  @Test
  void leavesAGpuToTheJobsThatHaveSlicesOfIt() {
    try (NvmlGpuDriver driver = open(settings(true))) {
      driver.prepare(Set.of(FakeGpus.uuid(0)));
      assertThat(geometries(driver)).containsExactly(Geometry.CONTINUOUS);
      assertThat(gpus.calls()).isEmpty();
      assertThat(signs(driver)).isEmpty();
    }
  }

  @Test
  void asksNothingOfAGpuOfWhichJobsHaveSlices() {
    try (NvmlGpuDriver driver = open(settings(true))) {
      gpus.isLost(0);
      driver.prepare(Set.of(FakeGpus.uuid(0)));
      assertThat(geometries(driver)).containsExactly(Geometry.CONTINUOUS);
      gpus.isBack(0);
      assertThat(signs(driver)).isEmpty();
    }
  }

  @Test
  void keepsAGpuThatDoesNotSayWhetherItCanBeDivided() {
    try (NvmlGpuDriver driver = open(settings(true, Duration.ofMillis(300)))) {
      gpus.slow("nvmlDeviceGetMigMode", 600);
      driver.prepare(NOTHING_HELD);
      assertThat(geometries(driver)).containsExactly(Geometry.CONTINUOUS);
    } finally {
      gpus.works("nvmlDeviceGetMigMode");
    }
  }

  @Test
  void leavesAGpuToProcessesThatUseIt() {
    gpus.processes(0, "4711 1000 compute -1", "42 0 graphics -1");
    try (NvmlGpuDriver driver = open(settings(true))) {
      driver.prepare(NOTHING_HELD);
      assertThat(geometries(driver)).containsExactly(Geometry.CONTINUOUS);
      assertThat(gpus.calls()).isEmpty();
      assertThat(signs(driver))
          .containsExactly(new DeviceSign.Undivided("it is used by the processes [42, 4711]"));
    }
  }

  /// Where the call succeeds, its second answer says whether the mode is in force.
  @ParameterizedTest
  @CsvSource({"19, In use by another client", "16, GPU requires reset"})
  void aModeThatIsNotInForceIsTakenBack(int activation, String words) {
    gpus.with(false);
    gpus.activation(0, activation);
    try (NvmlGpuDriver driver = open(settings(true))) {
      driver.prepare(NOTHING_HELD);
      assertThat(gpus.migMode(0)).as("neither now nor after a reset").isEqualTo("0");
      assertThat(gpus.calls()).containsExactly("mig 0 1", "mig 0 0", "mig 1 1");
      assertThat(signs(driver))
          .containsExactly(
              new DeviceSign.Undivided(
                  "the activation of MIG: %s (%d)".formatted(words, activation)));
      assertThat(geometries(driver)).containsExactly(Geometry.CONTINUOUS, Geometry.MIG);
      assertThat(plan(driver, "a", part(0, "1")).mechanism()).isEqualTo("whole");
    }
  }

  @Test
  void aRefusedCallChangesNothing() {
    gpus.fault("nvmlDeviceSetMigMode", IN_USE, 1);
    try (NvmlGpuDriver driver = open(settings(true))) {
      driver.prepare(NOTHING_HELD);
      assertThat(gpus.migMode(0)).isEqualTo("0");
      assertThat(gpus.calls()).isEmpty();
      assertThat(signs(driver))
          .containsExactly(
              new DeviceSign.Undivided("nvmlDeviceSetMigMode: In use by another client (19)"));
    }
  }

  @Test
  void aGpuOfWhichItIsNotKnownIsLeftOut() {
    gpus.with(false);
    gpus.activation(1, IN_USE);
    gpus.slow("nvmlDeviceSetMigMode", 1000);
    try (NvmlGpuDriver driver = open(settings(true, Duration.ofMillis(300)))) {
      driver.prepare(NOTHING_HELD);
      assertThat(driver.devices()).isEmpty();
    } finally {
      gpus.works("nvmlDeviceSetMigMode");
    }
  }
}
