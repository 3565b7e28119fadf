package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.mig;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.part;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.removing;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigInstancesTest {
  private static final int NO_PERMISSION = 4;
  private static final int NOT_FOUND = 6;
  private static final int IN_USE = 19;

  @TempDir Path root;
  private FakeGpus gpus;

  @BeforeEach
  void install() {
    gpus = FakeGpus.in(root, Version.V615).with(true);
  }

  private static void refused(Runnable call, String... words) {
    assertThatExceptionOfType(GpuDriverException.class)
        .isThrownBy(call::run)
        .withMessageContainingAll(words);
  }

  @Test
  void makesInstancesWhereTheSchedulerSaysAndRemovesThem() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan seventh = plan(driver, "a", mig(0, "1/7", "1g.10gb", 6, 1));
      SlicePlan half = plan(driver, "b", mig(0, "1/2", "3g.40gb", 0, 4));
      assertThat(seventh.mechanism()).isEqualTo("mig");
      assertThat(seventh.isolation()).isEqualTo(IsolationLevel.HARDWARE);
      assertThat(seventh.memoryLimitBytes()).as("what it really has").isEqualTo(9984L << 20);
      driver.requireRoom(List.of(seventh));
      driver.realise(seventh);
      driver.requireRoom(List.of(half));
      driver.realise(half);

      assertThat(gpus.instances(0)).containsExactly("1g.10gb@6", "3g.40gb@0");
      assertThat(gpus.migUuids(0)).doesNotHaveDuplicates().hasSize(2);
      assertThat(driver.environment(List.of(half)).get("CUDA_VISIBLE_DEVICES"))
          .startsWith("MIG-")
          .isIn(gpus.migUuids(0))
          .isNotEqualTo(driver.environment(List.of(seventh)).get("CUDA_VISIBLE_DEVICES"));
      driver.release(seventh);
      assertThat(gpus.instances(0)).containsExactly("3g.40gb@0");
      driver.release(half);
      driver.release(half);
      assertThat(gpus.instances(0)).isEmpty();
      assertThat(driver.realisedSlices()).isEmpty();
    }
  }

  @Test
  void fitsSevenSeventhsAndNotOneMore() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      for (int i = 0; i < 7; i++) {
        driver.realise(plan(driver, "s" + i, mig(0, "1/7", "1g.10gb", i, 1)));
      }
      refused(() -> plan(driver, "more", mig(0, "1/7", "1g.10gb", 7, 1)), "no place 1g.10gb@7");
      refused(() -> driver.realise(plan(driver, "more", mig(0, "1/4", "2g.20gb", 4, 2))), "taken");
    }
  }

  @Test
  void givesAllOfADividedGpuAsAnInstanceToo() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      driver.realise(plan(driver, "a", mig(0, "1", "7g.80gb", 0, 8)));
      assertThat(gpus.instances(0)).containsExactly("7g.80gb@0");
      refused(() -> plan(driver, "b", part(0, "1")), "names no place");
    }
  }

  @Test
  void refusesPlacesThatTheGpuDoesNotHave() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      refused(() -> plan(driver, "a", mig(0, "1/2", "3g.40gb", 2, 4)), "no place 3g.40gb@2");
      refused(() -> plan(driver, "a", mig(0, "1/2", "3g.71gb", 0, 4)), "no place 3g.71gb@0");
      refused(() -> plan(driver, "a", mig(0, "1/2", "3g.40gb", 0, 2)), "of 2 memory slices");
    }
  }

  @Test
  void namesTheInstanceInTheWay() {
    try (NvmlGpuDriver somebody = open(settings(gpus));
        NvmlGpuDriver driver = open(settings(gpus))) {
      somebody.realise(plan(somebody, "theirs", mig(0, "1/4", "2g.20gb", 2, 2)));
      SlicePlan plan = plan(driver, "a", mig(0, "1/2", "3g.40gb", 0, 4));
      String words = "the place 3g.40gb@0 of GPU 0";
      refused(() -> driver.requireRoom(List.of(plan)), words, "taken by 2g.20gb@2 (GPU instance");
      // It came in between: the driver's own refusal says nothing of places.
      refused(() -> driver.realise(plan), words, "taken by 2g.20gb@2 (GPU instance");
      driver.release(plan);
      assertThat(gpus.instances(0)).containsExactly("2g.20gb@2");
    }
  }

  @Test
  void finishesWhatWasHalfMade() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", mig(0, "1/7", "1g.10gb", 0, 1));
      gpus.fault("nvmlGpuInstanceCreateComputeInstance", NO_PERMISSION, 1);
      refused(() -> driver.realise(plan), "GPU 0", "nvmlGpuInstanceCreateComputeInstance", "(4)");
      assertThat(gpus.instances(0)).containsExactly("1g.10gb@0 alone");
      driver.realise(plan);
      driver.realise(plan);
      assertThat(gpus.instances(0)).containsExactly("1g.10gb@0");

      gpus.fault("nvmlGpuInstanceDestroy", IN_USE, 2);
      refused(() -> driver.release(plan), "In use by another client (19)");
      assertThat(gpus.instances(0)).containsExactly("1g.10gb@0 alone");
      refused(() -> driver.release(plan), "In use by another client (19)");
      driver.release(plan);
      assertThat(gpus.instances(0)).isEmpty();
    }
  }

  @Test
  void keepsAnInstanceWhileAProcessUsesIt() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", mig(0, "1/7", "1g.10gb", 0, 1));
      driver.realise(plan);
      gpus.processes(0, "4711 1000 compute 1");
      refused(() -> driver.release(plan), "nvmlComputeInstanceDestroy", "(19)");
      assertThat(driver.realisedSlices()).containsExactly(plan);
      gpus.processes(0);
      driver.release(plan);
      assertThat(gpus.instances(0)).isEmpty();
    }
  }

  @Test
  void countsAMissingInstanceAsRemoved() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", mig(0, "1/7", "1g.10gb", 0, 1));
      driver.realise(plan);
      gpus.fault("nvmlGpuInstanceGetComputeInstanceProfileInfoV", NOT_FOUND, 1);
      gpus.fault("nvmlGpuInstanceDestroy", NOT_FOUND, 1);
      driver.release(plan);

      gpus.mig(0, false);
      driver.release(plan);
    }
  }

  @Test
  void aLostGpuHasNoRoom() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", mig(0, "1/7", "1g.10gb", 0, 1));
      driver.realise(plan);
      gpus.isLost(0);
      refused(() -> driver.requireRoom(List.of(plan)), "GPU is lost (15)");
    }
  }

  @Test
  void findsItsSlicesAgainAndLeavesThoseOfOthers() {
    SlicePlan ours;
    try (NvmlGpuDriver first = open(settings(gpus))) {
      ours = plan(first, "ours", mig(0, "1/7", "1g.10gb", 6, 1));
      first.realise(ours);
      first.realise(plan(first, "theirs", mig(0, "1/2", "3g.40gb", 0, 4)));
      assertThat(gpus.instances(0)).hasSize(2);
    }
    try (NvmlGpuDriver next = open(settings(gpus))) {
      next.recover(List.of(ours));
      next.realise(ours);
      assertThat(next.environment(List.of(ours)).get("CUDA_VISIBLE_DEVICES"))
          .isIn(gpus.migUuids(0));
      assertThat(next.realisedSlices()).containsExactly(ours);
      assertThat(gpus.instances(0)).containsExactly("1g.10gb@6", "3g.40gb@0");
    }
  }

  @Test
  void removesThoseOfOthersOnlyIfToldToAndIdle() {
    SlicePlan ours;
    try (NvmlGpuDriver first = open(settings(gpus))) {
      ours = plan(first, "ours", mig(0, "1/7", "1g.10gb", 6, 1));
      first.realise(ours);
      first.realise(plan(first, "idle", mig(0, "1/7", "1g.10gb", 5, 1)));
      first.realise(plan(first, "busy", mig(0, "1/2", "3g.40gb", 0, 4)));
    }
    gpus.processes(0, "4711 1000 compute 3");
    try (NvmlGpuDriver next = open(removing(gpus))) {
      next.recover(List.of(ours));
      assertThat(gpus.instances(0)).containsExactly("1g.10gb@6", "3g.40gb@0");
    }
  }

  @Test
  void doesNotKnowMechanismsOfNewerAgents() {
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      SlicePlan plan = plan(driver, "a", mig(0, "1/7", "1g.10gb", 6, 1));
      SlicePlan newer =
          new SlicePlan(
              Fixtures.key("a"),
              0,
              plan.grant(),
              "quantum",
              plan.isolation(),
              plan.memoryLimitBytes(),
              plan.placement());
      refused(() -> driver.release(newer), "this agent makes no slices by quantum");
    }
  }

  @Test
  void givesAJobInstancesOfOneGpuBesideAnotherThatIsWhole() {
    gpus.with(false);
    try (NvmlGpuDriver driver = open(settings(gpus))) {
      assertThat(
              driver.plan(
                  Fixtures.key("a"),
                  List.of(
                      mig(0, "1/7", "1g.10gb", 5, 1),
                      mig(0, "1/7", "1g.10gb", 6, 1),
                      part(1, "1"))))
          .extracting(SlicePlan::mechanism)
          .containsExactly("mig", "mig", "whole");
    }
  }
}
