package io.headgate.agent.driver.rocm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceInfo.Geometry;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.core.SliceTable;
import io.headgate.agent.core.SliceTable.Profile;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.GpuUnavailableException;
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

class RocmGpuDriverTest {
  private static final long GIB = FakeAmdGpus.GIB;
  private static final int PERMISSION = 4;
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path root;
  private FakeAmdGpus gpus;

  @BeforeEach
  void install() {
    gpus = FakeAmdGpus.in(root);
  }

  private RocmGpuDriver open() {
    return open(LONG, RocmSteps.NONE);
  }

  private RocmGpuDriver open(Duration patience, RocmSteps steps) {
    return RocmGpuDriver.open(
        new RocmGpuDriver.Settings(
            List.of("librocm-smi-of-nobody.so", gpus.library().toString()), patience, gpus.sysfs()),
        steps);
  }

  private static SliceGrant partition(int gpu, String gpus, String mode, int start, int size) {
    return new SliceGrant(
        gpu,
        FakeAmdGpus.uuid(gpu),
        GpuQuantity.parse(gpus),
        0,
        Optional.of(new SlicePlace(mode, start, size)));
  }

  private static SliceGrant part(int gpu, String gpus) {
    return new SliceGrant(gpu, FakeAmdGpus.uuid(gpu), GpuQuantity.parse(gpus), 0);
  }

  private static SlicePlan plan(RocmGpuDriver driver, String job, SliceGrant grant) {
    return driver.plan(Fixtures.key(job), List.of(grant)).getFirst();
  }

  private static SlicePlan realised(RocmGpuDriver driver, String job, SliceGrant grant) {
    SlicePlan plan = plan(driver, job, grant);
    driver.requireRoom(List.of(plan));
    driver.realise(plan);
    return plan;
  }

  private static String visible(RocmGpuDriver driver, SlicePlan... plans) {
    return driver.environment(List.of(plans)).get("ROCR_VISIBLE_DEVICES");
  }

  private static void refused(Runnable call, String... words) {
    assertThatExceptionOfType(GpuDriverException.class)
        .isThrownBy(call::run)
        .withMessageContainingAll(words);
  }

  @Test
  void tellsWhatEachGpuIsAndCan() {
    gpus.withMi300x().withMi210();
    try (RocmGpuDriver driver = open()) {
      assertThat(driver.description()).isEqualTo("rocm 7.8.0");
      assertThat(driver.isSimulated()).isFalse();
      assertThat(driver.devices())
          .containsExactly(
              new DeviceInfo(
                  0,
                  FakeAmdGpus.uuid(0),
                  "MI300X",
                  192 * GIB,
                  Geometry.AMD_PARTITION,
                  IsolationLevel.HARDWARE,
                  Optional.of(
                      new SliceTable(
                          8,
                          8,
                          List.of(
                              new Profile("CPX", 1, 1, List.of(0, 1, 2, 3, 4, 5, 6, 7)),
                              new Profile("QPX", 2, 2, List.of(0, 2, 4, 6)),
                              new Profile("DPX", 4, 4, List.of(0, 4)),
                              new Profile("SPX", 8, 8, List.of(0)))))),
              new DeviceInfo(
                  1,
                  FakeAmdGpus.uuid(1),
                  "MI210",
                  64 * GIB,
                  Geometry.CONTINUOUS,
                  IsolationLevel.REACTIVE));
    }
  }

  @Test
  void promisesPartitionsOnlyWhereTheirMemoryIsKeptApart() {
    gpus.withMi300x().withMi300x().withMi300x();
    gpus.write(1, "compute_partition_mem_alloc_mode", "ALL");
    gpus.write(2, "current_memory_partition", "NPS4");
    try (RocmGpuDriver driver = open()) {
      assertThat(driver.devices())
          .extracting(DeviceInfo::geometry)
          .containsExactly(Geometry.AMD_PARTITION, Geometry.CONTINUOUS, Geometry.AMD_PARTITION);
      assertThat(driver.devices().get(2).slices().orElseThrow().profiles())
          .as("a partition has at least one of the memory's four parts")
          .extracting(Profile::name)
          .containsExactly("CPX", "QPX");
    }
  }

  @Test
  void dividesNoGpuByALibraryThatKnowsNoModes() {
    gpus.withMi300x().withMi210().withMi300x();
    gpus.write(2, "current_compute_partition", "CPX");
    try (RocmGpuDriver driver =
        RocmGpuDriver.open(
            new RocmGpuDriver.Settings(List.of(gpus.olderLibrary().toString()), LONG, gpus.sysfs()),
            RocmSteps.NONE)) {
      assertThat(driver.devices())
          .as("one that somebody has divided is left out")
          .extracting(DeviceInfo::geometry)
          .containsExactly(Geometry.CONTINUOUS, Geometry.CONTINUOUS);
      assertThat(realised(driver, "a", part(0, "1")).mechanism()).isEqualTo("whole");
    }
  }

  @Test
  void putsAnIdleGpuIntoTheModeAndGivesItsPartitionsOut() {
    gpus.withMi300x().withMi300x();
    try (RocmGpuDriver driver = open()) {
      SlicePlan first = realised(driver, "a", partition(0, "1/4", "QPX", 0, 2));
      assertThat(first.mechanism()).isEqualTo("partition");
      assertThat(first.isolation()).isEqualTo(IsolationLevel.HARDWARE);
      assertThat(first.memoryLimitBytes()).isEqualTo(48 * GIB);
      SlicePlan last = realised(driver, "b", partition(0, "1/4", "QPX", 6, 2));
      SlicePlan whole = realised(driver, "c", partition(1, "1", "SPX", 0, 8));

      assertThat(gpus.mode(0)).isEqualTo("QPX");
      assertThat(gpus.mode(1)).isEqualTo("SPX");
      assertThat(visible(driver, first)).isEqualTo("0");
      assertThat(visible(driver, last)).isEqualTo("3");
      assertThat(visible(driver, whole)).as("its name stays").isEqualTo(FakeAmdGpus.uuid(1));
      assertThat(visible(driver)).as("none").isEqualTo("-1");
      assertThat(driver.realisedSlices()).containsExactlyInAnyOrder(first, last, whole);

      driver.release(first);
      driver.release(last);
      realised(driver, "d", partition(0, "1/8", "CPX", 7, 1));
      assertThat(gpus.mode(0)).isEqualTo("CPX");
    }
  }

  @Test
  void namesPartitionsThatHaveNames() {
    gpus.withMi300x();
    gpus.namesPartitions(0);
    try (RocmGpuDriver driver = open()) {
      SlicePlan plan = realised(driver, "a", partition(0, "1/2", "DPX", 4, 4));
      assertThat(visible(driver, plan)).isEqualTo("GPU-a000000000000001");
    }
  }

  @Test
  void changesNoModeOfAGpuInUse() {
    gpus.withMi300x();
    try (RocmGpuDriver driver = open()) {
      realised(driver, "a", partition(0, "1/2", "DPX", 0, 4));
      gpus.process(4711, 0, 0, 3 * GIB);

      SlicePlan other = plan(driver, "b", partition(0, "1/4", "QPX", 2, 2));
      refused(
          () -> driver.requireRoom(List.of(other)),
          "cannot be put into mode QPX",
          "process 4711, with 3072 MiB");
      gpus.withoutModes(
          0,
          () ->
              refused(
                  () -> driver.realise(other),
                  "cannot be put into mode QPX while it is used by process 4711"));
      SlicePlan same = plan(driver, "c", partition(0, "1/2", "DPX", 0, 4));
      refused(() -> driver.requireRoom(List.of(same)), "partition 0 of GPU 0", "process 4711");
      realised(driver, "d", partition(0, "1/2", "DPX", 4, 4));
      assertThat(gpus.mode(0)).isEqualTo("DPX");
    }
  }

  @Test
  void callsNothingFreeThatIsStillUsed() {
    gpus.withMi300x().withMi210();
    try (RocmGpuDriver driver = open()) {
      SlicePlan half = realised(driver, "a", partition(0, "1/2", "DPX", 4, 4));
      SlicePlan whole = realised(driver, "b", part(1, "1"));
      assertThat(whole.mechanism()).isEqualTo("whole");
      gpus.process(1, 0, 1, GIB);
      gpus.process(2, 1, 0, 0);

      refused(() -> driver.release(half), "partition 1 of GPU 0", "still used by process 1");
      refused(() -> driver.release(whole), "still used by process 2");
      assertThat(driver.realisedSlices()).containsExactly(half, whole);
      gpus.ended(1);
      gpus.ended(2);
      driver.release(half);
      driver.release(whole);
      driver.release(whole);
      assertThat(driver.realisedSlices()).isEmpty();
    }
  }

  @Test
  void seesWhichProcessesUseMemoryOfSlices() {
    gpus.withMi300x().withMi210();
    try (RocmGpuDriver driver = open()) {
      realised(driver, "a", partition(0, "1/2", "DPX", 4, 4));
      SlicePlan watched = realised(driver, "b", part(1, "1/4"));
      assertThat(watched.mechanism()).isEqualTo("watched");
      assertThat(watched.isolation()).isEqualTo(IsolationLevel.REACTIVE);
      assertThat(watched.memoryLimitBytes()).isEqualTo(16 * GIB);
      gpus.process(1, 0, 1, 5);
      gpus.process(2, 0, 0, 6);
      gpus.process(3, 1, 0, 7);

      assertThat(driver.processes(FakeAmdGpus.uuid(0)).join())
          .containsExactly(new GpuProcess(1, 5));
      assertThat(driver.processes(FakeAmdGpus.uuid(1)).join())
          .containsExactly(new GpuProcess(3, 7));
    }
  }

  @Test
  void refusesPlacesThatAreNotThere() {
    gpus.withMi300x().withMi210();
    try (RocmGpuDriver driver = open()) {
      refused(() -> plan(driver, "a", part(0, "1/2")), "GPU 0 is divided by its modes");
      refused(() -> plan(driver, "a", partition(0, "1/4", "QPX", 3, 2)), "no partition QPX@3");
      refused(() -> plan(driver, "a", partition(0, "1/3", "TPX", 0, 2)), "no partition TPX@0");
      refused(() -> plan(driver, "a", partition(7, "1/4", "QPX", 0, 2)), "this machine has no GPU");
      refused(
          () -> driver.plan(Fixtures.key("a"), List.of(part(1, "1/4"), part(1, "1/4"))),
          "one larger slice");
    }
  }

  @Test
  void saysWhatTheLibrarySays() {
    gpus.withMi300x().withMi300x();
    gpus.fault("rsmi_dev_name_get", 2, 1);
    try (RocmGpuDriver driver = open()) {
      assertThat(driver.devices())
          .as("one that does not answer costs no other")
          .extracting(DeviceInfo::index)
          .containsExactly(1);
      SlicePlan plan = plan(driver, "a", partition(1, "1/2", "DPX", 0, 4));
      gpus.fault("rsmi_dev_compute_partition_get", PERMISSION, 1);
      refused(() -> driver.realise(plan), "GPU 1 (GPU-a", "rsmi_dev_compute_partition_get");
      gpus.withoutModes(
          1,
          () ->
              refused(
                  () -> driver.realise(plan),
                  "GPU 1 (GPU-a",
                  "cannot be put into mode DPX: java.nio.file."));
      driver.realise(plan);
    }
  }

  @Test
  void leavesOutAGpuOfWhichTheKernelShowsNothingReadable() throws IOException {
    gpus.withMi300x().withMi300x();
    Path attribute =
        gpus.sysfs().resolve("bus/pci/devices/0000:0c:00.0/available_compute_partition");
    Files.delete(attribute);
    Files.createDirectory(attribute);
    try (RocmGpuDriver driver = open()) {
      assertThat(driver.devices()).extracting(DeviceInfo::index).containsExactly(1);
    }
  }

  @Test
  void waitsOnlySoLong() {
    gpus.withMi300x();
    try (RocmGpuDriver driver = open(Duration.ofSeconds(3), RocmSteps.NONE)) {
      SlicePlan plan = plan(driver, "a", partition(0, "1/2", "DPX", 0, 4));
      gpus.hang("rsmi_dev_compute_partition_get");
      refused(() -> driver.realise(plan), "AMD's library has not answered for 3.0 s");
      assertThat(driver.processes(FakeAmdGpus.uuid(0)).join()).as("the watch goes on").isEmpty();
      gpus.works("rsmi_dev_compute_partition_get");
    }
  }

  @Test
  void saysWhyThereIsNone() throws IOException {
    assertThat(unavailable(gpus.library().toString(), root.resolve("nothing")))
        .hasMessage(
            "the amdgpu driver is not loaded (%s is there; modprobe amdgpu)", gpus.library())
        .returns(false, GpuUnavailableException::isAbsent);
    assertThat(unavailable("librocm-of-nobody.so", gpus.sysfs()))
        .hasMessage("no ROCm: the library librocm-of-nobody.so is not installed")
        .returns(true, GpuUnavailableException::isAbsent);
    assertThatExceptionOfType(GpuUnavailableException.class)
        .isThrownBy(() ->
            RocmGpuDriver.open(
                new RocmGpuDriver.Settings(List.of("libone.so", "libtwo.so"), LONG, gpus.sysfs()),
                RocmSteps.NONE))
        .withMessage("no ROCm: the library libone.so, libtwo.so is not installed");
    assertThat(unavailable("libc.so.6", gpus.sysfs()))
        .hasMessageContaining("libc.so.6 is too old: it lacks the function rsmi_");
    gpus.fault("rsmi_init", 8, 1);
    assertThat(unavailable(gpus.library().toString(), gpus.sysfs()))
        .hasMessageEndingWith("does not start: Initialization failed (8)");
    Files.writeString(root.resolve("text.so"), "no library\n");
    assertThat(unavailable(root.resolve("text.so").toString(), gpus.sysfs()))
        .hasMessageContaining("cannot be loaded: ");
  }

  private static GpuUnavailableException unavailable(String library, Path sysfs) {
    return assertThatExceptionOfType(GpuUnavailableException.class)
        .isThrownBy(() ->
            RocmGpuDriver.open(
                new RocmGpuDriver.Settings(List.of(library), LONG, sysfs), RocmSteps.NONE))
        .actual();
  }

  @Test
  void aSliceIsTheFileOfItsPartitionAndTheOneOfAllGpus() throws Exception {
    gpus.withMi300x();
    Path kernel = Files.createDirectory(root.resolve("kernel"));
    Files.writeString(kernel.resolve("devices"), "Character devices:\n240 kfd\n");
    try (RocmGpuDriver driver =
        RocmGpuDriver.open(
            new RocmGpuDriver.Settings(
                List.of(gpus.library().toString()),
                LONG,
                gpus.sysfs(),
                new KernelDevices(Files.createDirectory(root.resolve("dev")), kernel),
                Optional.empty()),
            RocmSteps.NONE)) {
      SlicePlan third = realised(driver, "third", partition(0, "1/4", "QPX", 4, 2));
      assertThat(driver.deviceNodes(List.of(third)))
          .containsExactly(
              new DeviceNode("dri/renderD130", 226, 130), new DeviceNode("kfd", 240, 0));
      assertThat(driver.deviceNodes(List.of())).as("of a job without GPUs").isEmpty();
    }
  }
}
