package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.mig;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.part;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.patient;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The memory of a GPU after a job, as far as a driver tells (T10).
class LeftMemoryTest {
  private static final long MIB = 1L << 20;

  /// No process has it: numbers end before.
  private static final long ENDED = 999_999_999;

  @TempDir Path root;

  private static void requireHeld(NvmlGpuDriver driver, SlicePlan plan, String why) {
    assertThatExceptionOfType(GpuDriverException.class)
        .isThrownBy(() -> driver.release(plan))
        .withMessageContaining("GPU 0")
        .withMessageContaining(why);
    assertThat(driver.realisedSlices()).as("it is not free").contains(plan);
  }

  private static void requireFree(NvmlGpuDriver driver, SlicePlan plan) {
    driver.release(plan);
    assertThat(driver.realisedSlices()).doesNotContain(plan);
  }

  @Test
  void memoryThatBelongsToNoProcessKeepsTheSlice() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    gpus.remains(0, 300 * MIB);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", part(0, "1"));
      driver.realise(plan);
      gpus.remains(0, 300 * MIB + 2048 * MIB);
      requireHeld(driver, plan, "2048 MiB more than before the job belong to no process");
      gpus.remains(0, 300 * MIB + LeftMemory.TOLERATED_BYTES);
      requireFree(driver, plan);
    }
  }

  @Test
  void aProcessThatSurvivesTheJobKeepsAWholeGpu() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", part(0, "1"));
      driver.realise(plan);
      long survivor = ProcessHandle.current().pid();
      gpus.uses(0, survivor, 512 * MIB);
      requireHeld(
          driver,
          plan,
          "process %d, which was not there before the job, has 512 MiB".formatted(survivor));
      SlicePlan later = plan(driver, "b", part(0, "1"));
      driver.realise(later);
      requireFree(driver, later);
    }
  }

  @Test
  void memoryOfAProcessThatHasEndedKeepsAPartToo() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", part(0, "1/2"));
      driver.realise(plan);
      gpus.processes(0, ENDED + " " + 7 * MIB + " compute -1");
      requireHeld(driver, plan, "process %d has ended and still has 7 MiB".formatted(ENDED));
      gpus.processes(0);
      requireFree(driver, plan);
    }
  }

  @Test
  void theMemoryOfANeighbourCountsAsNobodysRemains() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", part(0, "1/2"));
      driver.realise(plan);
      gpus.uses(0, ProcessHandle.current().pid(), 30 * FakeGpus.GIB);
      requireFree(driver, plan);
    }
  }

  /// A GPU that cannot be asked is not known to be clean.
  @Test
  void aDriverThatFailsOrHangsKeepsTheSlice() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(patient(gpus, Duration.ofMillis(500)))) {
      SlicePlan plan = plan(driver, "a", part(0, "1"));
      driver.realise(plan);
      gpus.fault("nvmlDeviceGetMemoryInfo_v2", 999, 1);
      requireHeld(driver, plan, "nvmlDeviceGetMemoryInfo");
      gpus.fault("nvmlDeviceGetComputeRunningProcesses_v3", 999, 1);
      requireHeld(driver, plan, "RunningProcesses");
      gpus.hang("nvmlDeviceGetMemoryInfo_v2");
      assertThatExceptionOfType(GpuDriverException.class).isThrownBy(() -> driver.release(plan));
      assertThat(driver.realisedSlices()).contains(plan);
      gpus.works("nvmlDeviceGetMemoryInfo_v2");
    }
  }

  /// Nothing can be proven there, and nothing is promised.
  @Test
  void aDriverThatDoesNotTellItsProcessesIsBelieved() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      gpus.fault("nvmlDeviceGetComputeRunningProcesses_v3", 3, 1);
      SlicePlan plan = plan(driver, "a", part(0, "1"));
      driver.realise(plan);
      gpus.remains(0, FakeGpus.GIB);
      requireFree(driver, plan);
    }
  }

  @Test
  void aPlanOfAnEarlierAgentHasNothingToCompareWith() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", part(0, "1")).withPlacement(new TreeMap<>());
      driver.realise(plan);
      gpus.remains(0, FakeGpus.GIB);
      requireFree(driver, plan);
    }
  }

  @Test
  void anInstanceThatIsOnlySaidToBeDestroyedKeepsItsSlice() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(true);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", mig(0, "1/7", "1g.10gb", 6, 1));
      driver.realise(plan);
      gpus.keepsInstances(0, true);
      requireHeld(driver, plan, "has removed the slice acme.a.1.0#0 and still shows it");
      gpus.keepsInstances(0, false);
      requireFree(driver, plan);
    }
  }
}
