package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.ACME;
import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.explain.Dimension;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.node.Geometry.Sliced;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import io.headgate.type.GpuQuantity;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Rule A6 on devices that are divided in hardware: MIG slices and AMD partitions.
class SlicedDeviceTest {
  /// A queue `q-SIZE` for each size.
  private static TenantBuilder tenant(String... sizes) {
    TenantBuilder tenant = new TenantBuilder().pool("pool").policy("team", "100", "100");
    for (String size : sizes) {
      tenant.profile("p-" + size, size, "pool").queue("q-" + size, "team", "p-" + size, 1);
    }
    return tenant;
  }

  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  private static String[] names(int count) {
    String[] names = new String[count];
    for (int i = 0; i < count; i++) {
      names[i] = "j" + i;
    }
    return names;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sevenSeventhsAreOneGpu(boolean mig) {
    Driver it =
        new Driver(tenant("1/7"))
            .join(mig ? Driver.sliced("n", "pool", 1, Sliced.MIG) : Driver.node("n", "pool", 1));
    it.submit("q-1/7", names(8));
    assertThat(it.in(JobState.ASSIGNED)).hasSize(7);
    assertThat(it.used("team")).isEqualTo("1");
    assertThat(it.reason("j7"))
        .isEqualTo(new Reason.Capacity(poolId("pool"), gpus("1/7"), gpus("0")));
    assertThat(it.place("j0")).isEqualTo(mig ? "n:0(1g@6)" : "n:0(1/7)");
  }

  @Test
  void ofEightEighthsTheLastWaitsForAPlace() {
    Driver it = new Driver(tenant("1/8")).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-1/8", names(8));
    assertThat(it.in(JobState.ASSIGNED)).hasSize(7);
    assertThat(it.used("team")).isEqualTo("7/8");
    assertThat(it.reason("j7"))
        .isEqualTo(
            new Reason.Fragmentation(poolId("pool"), gpus("1/8"), gpus("1/8"), Dimension.GEOMETRY));
    it.run().exit("j3", 0);
    assertThat(it.place("j7")).isEqualTo("n:0(1g@3)");
  }

  @Test
  void aHalfFindsItsPlaceBesideFourEighths() {
    Driver it = new Driver(tenant("1/8", "1/2")).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-1/8", names(4)).submit("q-1/2", "half");
    assertThat(it.place("half")).isEqualTo("n:0(3g@4)");
  }

  /// A `3g` would lie beside four `1g`. But they ask for 15/14 of a GPU, and one has no more than
  /// itself: else what is used would be more than there is.
  @Test
  void aJobThatNeedsMoreThanIsLeftWaitsAlthoughAPlaceIsFree() {
    Driver it = new Driver(tenant("1/7", "1/2")).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-1/2", "half").submit("q-1/7", names(4));
    assertThat(it.place("half")).isEqualTo("n:0(3g@4)");
    assertThat(it.reason("j3"))
        .isEqualTo(new Reason.Capacity(poolId("pool"), gpus("1/7"), gpus("1/14")));
  }

  @Test
  void saysWhatIsGivenForWhatWasAsked() {
    Driver it = new Driver(tenant("3/8")).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-3/8", "a");
    Slice slice = it.attempt("a").assignment().workers().getFirst().slices().getFirst();
    assertThat(slice.quantity()).isEqualTo(gpus("3/8"));
    assertThat(slice.placement().orElseThrow().gives()).isEqualTo(gpus("1/2"));
    assertThat(slice.memoryBytes()).isEqualTo(40 * Driver.GIB);
    assertThat(it.used("team")).isEqualTo("3/8");
  }

  @ParameterizedTest
  @CsvSource({
    "1/4, 5, n:0(1g.2x@6) n:0(2g@4) n:0(2g@0) n:0(2g@2)",
    "1/2, 3, n:0(3g@4) n:0(4g@0)",
    "3/4, 2, n:0(7g@0)",
    "1,   2, n:0(7g@0)"
  })
  void fillsADevice(String size, int jobs, String places) {
    Driver it = new Driver(tenant(size)).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-" + size, names(jobs));
    assertThat(it.in(JobState.ASSIGNED).stream().map(it::place)).containsExactly(places.split(" "));
  }

  @Test
  void mixesSizesOnOneDevice() {
    Driver it =
        new Driver(tenant("1/2", "1/4", "1/7", "1"))
            .join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-1/2", "half").submit("q-1/4", "quarter").submit("q-1/7", "seventh");
    assertThat(List.of(it.place("half"), it.place("quarter"), it.place("seventh")))
        .containsExactly("n:0(3g@4)", "n:0(2g@0)", "n:0(1g@2)");
    it.submit("q-1", "whole");
    assertThat(it.state("whole")).isEqualTo(JobState.WAITING);
    it.run().exit("half", 0).exit("quarter", 0).exit("seventh", 0);
    assertThat(it.place("whole")).isEqualTo("n:0(7g@0)");
  }

  @Test
  void takesWholeDevicesForAGang() {
    Driver it = new Driver(tenant("2", "1/7")).join(Driver.sliced("n", "pool", 3, Sliced.MIG));
    it.submit("q-1/7", "part").submit("q-2", "two");
    assertThat(it.place("part")).isEqualTo("n:0(1g@6)");
    assertThat(it.place("two")).isEqualTo("n:1(7g@0),2(7g@0)");
  }

  @Test
  void changesTheModeOfAnAmdDeviceOnlyWhenItIsIdle() {
    Driver it = new Driver(tenant("1/4", "1/2")).join(Driver.sliced("n", "pool", 1, Sliced.AMD));
    it.submit("q-1/4", "a", "b").submit("q-1/2", "half").run();
    assertThat(it.place("b")).isEqualTo("n:0(QPX@2)");
    assertThat(it.reason("half"))
        .isEqualTo(
            new Reason.Fragmentation(poolId("pool"), gpus("1/2"), gpus("1/2"), Dimension.GEOMETRY));
    it.exit("a", 0);
    assertThat(it.state("half")).isEqualTo(JobState.WAITING);
    it.exit("b", 0);
    assertThat(it.place("half")).isEqualTo("n:0(DPX@0)");
  }

  @Test
  void takesALargerPartitionOnlyWhereNoFittingOneIsLeft() {
    Driver it = new Driver(tenant("1/4", "1/8")).join(Driver.sliced("n", "pool", 2, Sliced.AMD));
    it.submit("q-1/4", "a").submit("q-1/8", names(9)).submit("q-1/8", "late");
    assertThat(it.place("a")).isEqualTo("n:0(QPX@0)");
    assertThat(it.place("j0")).isEqualTo("n:1(CPX@0)");
    assertThat(it.place("j8")).isEqualTo("n:0(QPX@2)");
    assertThat(it.place("late")).isEqualTo("n:0(QPX@4)");
  }

  @Test
  void holdsTheVictimsPlaceForTheirPreemptor() {
    TenantBuilder tenant =
        tenant("1/2", "1/4")
            .policy("other", "1", "1")
            .queue("other-1/2", "other", "p-1/2", 1)
            .policy("team", "0", "1");
    Driver it = new Driver(tenant).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-1/4", names(4)).run().forget();
    it.submit("other-1/2", "claim");
    // 2g@0 and 2g@2 started last.
    assertThat(it.stopped()).containsExactlyInAnyOrder("j2", "j3");
    Hold hold = it.effects(Effect.HoldPlaced.class).getFirst().hold();
    Slice held = hold.place().workers().getFirst().slices().getFirst();
    assertThat(held.placement().orElseThrow().label()).isEqualTo("4g@0");
    it.stopAll();
    assertThat(it.place("claim")).isEqualTo("n:0(4g@0)");
  }

  @Test
  void freesAnAmdDeviceForAnotherMode() {
    TenantBuilder tenant =
        tenant("1/8")
            .profile("p-1/2", "1/2", "pool")
            .policy("other", "1", "1")
            .queue("other-1/2", "other", "p-1/2", 1)
            .policy("team", "0", "1");
    Driver it = new Driver(tenant).join(Driver.sliced("n", "pool", 1, Sliced.AMD));
    it.submit("q-1/8", names(3)).run().submit("other-1/2", "claim");
    assertThat(it.stopped()).hasSize(3);
    it.submit("q-1/8", "late");
    assertThat(it.state("late")).isEqualTo(JobState.WAITING);
    it.stopAll();
    assertThat(it.place("claim")).isEqualTo("n:0(DPX@0)");
    // The job that waited first gets the other half, although it asked for an eighth.
    assertThat(it.place("j0")).isEqualTo("n:0(DPX@4)");
  }

  @Test
  void isHardwareIsolated() {
    TenantBuilder tenant =
        tenant("1/2").changeProfile("p-1/2", p -> p.with().isolation(Isolation.HARDWARE).build());
    Driver it =
        new Driver(tenant)
            .join(
                Driver.node("a", "pool", 1),
                Driver.sliced("b", "pool", 1, Sliced.MIG),
                Driver.sliced("c", "pool", 1, Sliced.AMD));
    it.submit("q-1/2", names(5));
    assertThat(it.in(JobState.ASSIGNED)).hasSize(4).noneMatch(job -> it.place(job).startsWith("a"));
  }

  @Test
  void keepsPlacesWhenItsStateIsLoaded() {
    Driver it = new Driver(tenant("1/4", "1/7")).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    it.submit("q-1/4", "a").submit("q-1/7", "b", "c").run().exit("b", 0);
    it.core = SchedulerCore.load(it.core.state());
    it.submit("q-1/7", names(4)).submit("q-1/4", "late");
    assertThat(it.in(JobState.WAITING)).containsExactly("late");
    assertThat(it.place("j0")).isNotEqualTo(it.place("c"));
  }

  @Test
  void givesNothingOfADeviceThatWasDividedOtherwiseBefore() {
    Driver it =
        new Driver(tenant("1/7")).join(Driver.node("n", "pool", 1)).submit("q-1/7", "a").run();
    it.join(Driver.sliced("n", "pool", 1, Sliced.MIG)).submit("q-1/7", "b");
    assertThat(it.reason("b"))
        .isEqualTo(
            new Reason.Fragmentation(poolId("pool"), gpus("1/7"), gpus("6/7"), Dimension.GEOMETRY));
    it.exit("a", 0);
    assertThat(it.place("b")).isEqualTo("n:0(1g@6)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tightest", "stranded", "roll-out", "arbitrary"})
  void everyPolicyFindsThePlaces(String name) {
    PlacementPolicy policy =
        switch (name) {
          case "tightest" -> StandardPlacement.TIGHTEST_FIT;
          case "stranded" -> StandardPlacement.LEAST_STRANDED;
          case "roll-out" -> StandardPlacement.ROLL_OUT_FILL;
          default -> new ArbitraryPlacement(7);
        };
    Driver it = new Driver(tenant("1/7", "1/4", "1/2", "1"));
    it.core = SchedulerCore.load(it.core.state(), policy);
    it.join(
        Driver.sliced("m", "pool", 2, Sliced.MIG),
        Driver.sliced("r", "pool", 2, Sliced.AMD),
        Driver.node("s", "pool", 2));
    it.submit("q-1/2", "h0", "h1", "h2").submit("q-1/4", "q0", "q1", "q2");
    it.submit("q-1/7", names(7)).submit("q-1", "w");
    it.run().exit("h1", 0).exit("q0", 0).exit("j3", 0).submit("q-1/2", "h3");
    assertThat(it.usage(new NodeId(ACME, "m")).orElseThrow().devices()).hasSize(2);
    assertThat(it.in(JobState.WAITING)).doesNotContain("h3");
  }
}
