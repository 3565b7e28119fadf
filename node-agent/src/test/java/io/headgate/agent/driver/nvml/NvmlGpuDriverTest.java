package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.LONG;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.mig;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.part;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.patient;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.settings;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.withCgroups;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceInfo.Geometry;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceTable;
import io.headgate.agent.driver.CpuOnlyDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Properties of GPUs, and slices of GPUs that MIG does not divide.
class NvmlGpuDriverTest {
  private static final long GIB = FakeGpus.GIB;

  @TempDir Path root;
  @TempDir Path cgroups;

  @Test
  void tellsWhatEachGpuIsAndCan() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(true).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      assertThat(driver.description()).isEqualTo("nvml 580.95.05");
      assertThat(driver.isSimulated()).isFalse();
      assertThat(driver.devices())
          .containsExactly(
              new DeviceInfo(
                  0,
                  FakeGpus.uuid(0),
                  "H100",
                  79 * GIB,
                  Geometry.MIG,
                  IsolationLevel.HARDWARE,
                  Optional.of(
                      new SliceTable(
                          8,
                          7,
                          List.of(
                              new SliceTable.Profile("1g.10gb", 1, 1, List.of(0, 1, 2, 3, 4, 5, 6)),
                              new SliceTable.Profile("2g.20gb", 2, 2, List.of(0, 2, 4)),
                              new SliceTable.Profile("1g.20gb", 2, 1, List.of(0, 2, 4, 6)),
                              new SliceTable.Profile("3g.40gb", 4, 3, List.of(0, 4)),
                              new SliceTable.Profile("4g.40gb", 4, 4, List.of(0)),
                              new SliceTable.Profile("7g.80gb", 8, 7, List.of(0)))))),
              new DeviceInfo(
                  1,
                  FakeGpus.uuid(1),
                  "H100",
                  79 * GIB,
                  Geometry.CONTINUOUS,
                  IsolationLevel.REACTIVE));
    }
  }

  @Test
  void promisesALimitByCgroupOnlyWhereOneCanBeSet() {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false);
    assertThat(isolation(settings(gpus))).as("no cgroups").isEqualTo(IsolationLevel.REACTIVE);
    gpus.fault("nvmlDeviceSetMemoryLimits_v1", 3, 1);
    assertThat(isolation(withCgroups(gpus, cgroups)))
        .as("the driver refuses")
        .isEqualTo(IsolationLevel.REACTIVE);
  }

  private static IsolationLevel isolation(NvmlGpuDriver.Settings settings) {
    try (NvmlGpuDriver driver = open(settings)) {
      return driver.devices().getFirst().isolation();
    }
  }

  @Test
  void leavesOutWhatDoesNotAnswerAndKeepsTheOthersWithTheirNumbers() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false).with(false).with(true);
    gpus.isLost(0);
    gpus.fault("nvmlDeviceGetGpuInstancePossiblePlacements_v2", 4, 1);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      assertThat(driver.devices()).extracting(DeviceInfo::index).containsExactly(1);
    }
  }

  @Test
  void givesAGpuWhole() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", part(0, "1"));
      assertThat(plan.mechanism()).isEqualTo("whole");
      assertThat(plan.isolation()).isEqualTo(IsolationLevel.HARDWARE);
      assertThat(plan.memoryLimitBytes()).isEqualTo(79 * GIB);
      driver.requireRoom(List.of(plan));
      driver.realise(plan);

      assertThat(driver.realisedSlices()).containsExactly(plan);
      assertThat(driver.environment(List.of(plan)))
          .containsEntry("CUDA_VISIBLE_DEVICES", FakeGpus.uuid(0))
          .containsEntry("NVIDIA_VISIBLE_DEVICES", FakeGpus.uuid(0));
      driver.release(plan);
      assertThat(driver.realisedSlices()).isEmpty();

      gpus.isLost(0);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(plan))
          .withMessage(
              "GPU 0 (%s): nvmlDeviceGetUUID: GPU is lost (15)".formatted(FakeGpus.uuid(0)));
    }
  }

  @Test
  void forgetsOfAGpuThatIsGoneOnlyWhatLeftNothingOnIt() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false).with(true);
    SlicePlan whole;
    SlicePlan instance;
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      whole = plan(driver, "a", part(0, "1"));
      instance = plan(driver, "b", mig(1, "1/7", "1g.10gb", 6, 1));
      driver.realise(instance);
    }
    gpus.isLost(0);
    gpus.isLost(1);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      driver.release(whole);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.release(instance));
    }
    CpuOnlyDriver none = new CpuOnlyDriver();
    none.release(whole);
    assertThatExceptionOfType(GpuDriverException.class)
        .isThrownBy(() -> none.release(instance))
        .withMessageContaining("is left, and there is no driver to free it with");
  }

  @Test
  void onlyWatchesAPartWhereNothingStrongerIsThere() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(withCgroups(gpus, cgroups))) {
      SlicePlan plan = plan(driver, "a", part(0, "1/2"));
      assertThat(plan.mechanism()).isEqualTo("watched");
      assertThat(plan.isolation()).isEqualTo(IsolationLevel.REACTIVE);
      assertThat(plan.memoryLimitBytes()).isEqualTo(79 * GIB / 2);
      driver.realise(plan);
      driver.release(plan);
      assertThat(gpus.calls()).isEmpty();
    }
  }

  @Test
  void limitsThePartOfACgroupBeforeTheJobAndFreesItWhileTheCgroupIsThere() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false);
    Path cgroup = cgroups.resolve(Fixtures.key("a").directoryName());
    try (NvmlGpuDriver driver = open(withCgroups(gpus, cgroups))) {
      assertThat(cgroups).as("the try-out leaves nothing").isEmptyDirectory();
      assertThat(driver.devices().getFirst().isolation())
          .isEqualTo(IsolationLevel.DRIVER_CONTAINER);
      SlicePlan plan = plan(driver, "a", part(0, "1/2"));
      assertThat(plan.mechanism()).isEqualTo("cgroup");
      assertThat(plan.placement()).containsEntry("cgroup", cgroup.toString());
      driver.realise(plan);
      driver.realise(plan);

      long half = 79 * GIB / 2;
      assertThat(gpus.limits(0)).containsExactly("acme.a.1.0 %d %d".formatted(half, half));
      assertThat(driver.environment(List.of(plan)))
          .containsEntry("CUDA_VISIBLE_DEVICES", FakeGpus.uuid(0));
      driver.release(plan);
      assertThat(gpus.limits(0)).isEmpty();
      assertThat(gpus.calls()).last().isEqualTo("limit 0 0 18446744073709551615 acme.a.1.0");

      Files.delete(cgroup);
      driver.release(plan);
    }
  }

  @Test
  void failsTheSliceOfACgroupThatCannotBeMadeOrLimited() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false);
    try (NvmlGpuDriver driver = open(withCgroups(gpus, cgroups))) {
      SlicePlan plan = plan(driver, "a", part(0, "1/2"));
      Path cgroup = Files.createFile(cgroups.resolve(Fixtures.key("a").directoryName()));
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(plan))
          .withMessageContaining("no cgroup for the job: ");
      Files.delete(cgroup);
      gpus.fault("nvmlDeviceSetMemoryLimits_v1", 4, 1);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(plan))
          .withMessageContaining("nvmlDeviceSetMemoryLimits_v1");
      assertThat(gpus.limits(0)).isEmpty();
      driver.realise(plan);
    }
  }

  @Test
  void listsEachProcessOfAGpuOnceWithItsInstance() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false).with(true);
    gpus.processes(
        0, "11 1000 compute -1", "12 2000 graphics -1", "11 1000 graphics -1", "13 -1 mps -1");
    gpus.processes(
        1, "21 500 compute 1", "21 500 graphics 1", "22 600 compute 2", "22 7 compute 1");
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      driver.realise(plan(driver, "a", part(0, "1/2")));
      assertThat(driver.processes(FakeGpus.uuid(0)).join())
          .as("what the driver does not know counts as nothing")
          .containsExactly(
              new GpuProcess(11, 1000), new GpuProcess(12, 2000), new GpuProcess(13, 0));

      driver.realise(plan(driver, "b", mig(1, "1/7", "1g.10gb", 6, 1)));
      assertThat(driver.processes(FakeGpus.uuid(1)).join())
          .as("of all instances at once, without asking each")
          .containsExactly(new GpuProcess(21, 500), new GpuProcess(22, 607));
      gpus.fault("nvmlDeviceGetGraphicsRunningProcesses_v3", 3, 1);
      assertThat(driver.processes(FakeGpus.uuid(0)).join()).as("no such programs").hasSize(2);
      for (int untold : List.of(999, 3)) {
        gpus.fault("nvmlDeviceGetComputeRunningProcesses_v3", untold, 1);
        assertThat(driver.processes(FakeGpus.uuid(0)))
            .failsWithin(LONG)
            .withThrowableThat()
            .havingCause()
            .isInstanceOf(GpuDriverException.class)
            .withMessageContaining("GPU 0");
      }
    }
  }

  @Test
  void listsMoreProcessesThanItExpects() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    gpus.processes(
        0, IntStream.range(100, 300).mapToObj(pid -> pid + " 1 compute -1").toArray(String[]::new));
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      driver.realise(plan(driver, "a", part(0, "1/2")));
      assertThat(driver.processes(FakeGpus.uuid(0)).join()).hasSize(200);
    }
  }

  @Test
  void refusesTwoPartsOfOneGpuForOneJob() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      assertThat(driver.plan(Fixtures.key("a"), List.of(part(0, "1/2"), part(1, "1/2"))))
          .hasSize(2);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(
              () -> driver.plan(Fixtures.key("a"), List.of(part(0, "1/2"), part(0, "1/4"))));
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> plan(driver, "a", part(7, "1/2")))
          .withMessageContaining("no GPU GPU-00000007");
    }
  }

  @Test
  void waitsOnlySoLongForAGpuAndOnlyForThatOne() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(true).with(false);
    try (NvmlGpuDriver driver = open(patient(gpus, Duration.ofSeconds(2)))) {
      gpus.hang("nvmlGpuInstanceCreateComputeInstance");
      SlicePlan slow = plan(driver, "a", mig(0, "1/7", "1g.10gb", 6, 1));
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(slow))
          .withMessage("GPU 0 has not answered for 2.0 s");
      driver.realise(plan(driver, "b", part(1, "1")));
      assertThatExceptionOfType(GpuDriverException.class)
          .as("what is behind it waits no longer either")
          .isThrownBy(() -> driver.release(slow));
      gpus.works("nvmlGpuInstanceCreateComputeInstance");
      // The driver finishes the call in progress, and the next release then removes the instance.
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptionsMatching(GpuDriverException.class::isInstance)
          .until(() -> {
            driver.release(slow);
            return true;
          });
      assertThat(gpus.instances(0)).isEmpty();
    }
  }
}
