package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.mig;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.patient;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.DeviceSign.Recovery;
import io.headgate.agent.core.JobName;
import io.headgate.agent.driver.DeviceListener;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.DeviceReading.Figures;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/// How NVIDIA's GPUs do, as NVML tells.
class NvmlHealthTest {
  private static final long GIB = FakeGpus.GIB;
  private static final String GPU = FakeGpus.uuid(0);

  // A call that hangs may still write there when the test is over.
  @TempDir(cleanup = CleanupMode.NEVER)
  Path root;

  private static List<DeviceSign> signs(NvmlGpuDriver driver) {
    return driver.read(GPU).signs();
  }

  @Test
  void readsWhatAGpuTellsOfItself() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    gpus.readings(
        0,
        "utilization 87",
        "temperature 71",
        "power 512500",
        "energy 9000000",
        "ecc-corrected 12",
        "ecc-uncorrected 0",
        "rows-pending 0",
        "rows-failed 0",
        "pages-pending 0",
        "throttle 4",
        "recovery 0");
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      assertThat(driver.read(GPU))
          .isEqualTo(
              new DeviceReading(
                  List.of(),
                  new Figures(
                      OptionalDouble.of(0.87),
                      OptionalLong.of(0),
                      OptionalLong.of(79 * GIB),
                      OptionalDouble.of(71),
                      OptionalDouble.of(512.5),
                      OptionalDouble.of(9000),
                      OptionalLong.of(12),
                      OptionalLong.of(0))));
    }
  }

  /// Process 10 has samples of 20 % and 40 %, process 11 one of 50 %, process 12 none that is
  /// valid.
  @Test
  void tellsHowLongAGpuComputedForEachAttempt() {
    AttemptKey train = new AttemptKey(new JobName("acme", "train"), "", 1, 0);
    Function<Collection<Long>, Map<Long, AttemptKey>> owners =
        pids -> pids.contains(10L) ? Map.of(10L, train) : Map.of();
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      assertThat(driver.computing(GPU, owners)).as("the driver does not tell").isEmpty();
      gpus.samples(0, "10 20 1000", "11 50 1500", "10 40 2000", "12 4294967295 2000");
      assertThat(driver.computing(GPU, owners)).hasValue(Map.of(train, 0.3));
      assertThat(driver.computing(GPU, owners)).as("no new sample").hasValue(Map.of());
      gpus.samples(0, "10 20 1000", "10 40 2000", "10 90 3000");
      assertThat(driver.computing(GPU, owners)).hasValue(Map.of(train, 0.9));
    }
  }

  @Test
  void takesWhatIsNotToldForNothingWrong() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(true);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      DeviceReading reading = driver.read(GPU);
      assertThat(reading.signs()).isEmpty();
      assertThat(reading.figures().utilization()).isEmpty();
      assertThat(reading.figures().memoryLimit()).hasValue(79 * GIB);
    }
  }

  @Test
  void seesEachSignOfTrouble() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    gpus.readings(
        0,
        "ecc-uncorrected 2",
        "rows-pending 1",
        "rows-failed 1",
        "pages-pending 1",
        "throttle 64",
        "recovery 4");
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      assertThat(signs(driver))
          .containsExactly(
              new DeviceSign.Uncorrected(2),
              new DeviceSign.RowsExhausted(),
              new DeviceSign.RowsPending(),
              new DeviceSign.PagesPending(),
              new DeviceSign.RecoveryDue(Recovery.DRAIN_AND_RESET),
              new DeviceSign.Throttled("it is too hot"));
      gpus.readings(0, "recovery 1", "throttle 136");
      assertThat(signs(driver))
          .containsExactly(
              new DeviceSign.RecoveryDue(Recovery.RESET),
              new DeviceSign.Throttled("its power supply demands it"));
      gpus.readings(0, "recovery 2", "throttle 8");
      assertThat(signs(driver))
          .containsExactly(
              new DeviceSign.RecoveryDue(Recovery.RESTART),
              new DeviceSign.Throttled("its hardware protects itself"));
    }
  }

  @Test
  void tellsAGpuThatIsLostFromOneThatDoesNotAnswer() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      gpus.fault("nvmlDeviceGetTemperature", 15, 1);
      assertThat(signs(driver)).singleElement().isInstanceOf(DeviceSign.Gone.class);
      assertThat(signs(driver)).isEmpty();
      gpus.fault("nvmlDeviceGetMemoryInfo_v2", 999, 1);
      assertThat(signs(driver))
          .containsExactly(
              new DeviceSign.Silent(
                  "it cannot be read: nvmlDeviceGetMemoryInfo: Unknown Error (999)"));
      gpus.fault("nvmlDeviceGetMemoryInfo_v2", 16, 1);
      assertThat(signs(driver)).containsExactly(new DeviceSign.RecoveryDue(Recovery.RESET));
      gpus.isLost(0);
      assertThat(signs(driver)).singleElement().isInstanceOf(DeviceSign.Gone.class);
      assertThat(driver.read(FakeGpus.uuid(1)).signs()).isEmpty();
    }
  }

  @Test
  void waitsOnlySoLongForAReading() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(patient(gpus, Duration.ofSeconds(5)))) {
      gpus.hang("nvmlDeviceGetMemoryInfo_v2");
      assertThat(signs(driver)).singleElement().isInstanceOf(DeviceSign.Silent.class);
      gpus.works("nvmlDeviceGetMemoryInfo_v2");
    }
  }

  @Test
  void freesTheInstancesOfALostGpuBecauseNoJobCanUseThem() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(true);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan slice = plan(driver, "a", mig(0, "1/7", "1g.10gb", 6, 1));
      driver.realise(slice);
      gpus.isLost(0);
      driver.release(slice);
      assertThat(driver.realisedSlices()).isEmpty();
    }
  }

  @Test
  void hearsTheErrorsThatGpusReport() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false).with(true);
    List<String> heard = new CopyOnWriteArrayList<>();
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      driver.listen(
          new DeviceListener() {
            @Override
            public void reported(String deviceUuid, DeviceSign.Xid error) {
              heard.add(deviceUuid + " " + error.number());
            }

            @Override
            public void stirred(String deviceUuid) {
              heard.add(deviceUuid);
            }
          });
      // The driver drops events from before its registration, so the fake repeats the event.
      await()
          .atMost(NvmlDriverFixture.LONG)
          .until(() -> {
            if (heard.isEmpty()) {
              gpus.xid(1, 79);
            }
            return heard.contains(FakeGpus.uuid(1) + " 79");
          });
      heard.clear();
      gpus.fault("nvmlEventSetWait_v2", 15, 2);
      await().atMost(NvmlDriverFixture.LONG).until(() -> heard.size() == 2);
      assertThat(heard)
          .as("of which it does not say")
          .containsExactlyInAnyOrder(GPU, FakeGpus.uuid(1));
    }
  }
}
