package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Geometry.Sliced;
import io.headgate.scheduler.core.node.SliceProfile;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which slices fit on a divided device, and where they go.
class SliceRoomTest {
  private static final long GIB = 1L << 30;

  private static DeviceKind kind(Geometry geometry) {
    return new DeviceKind("H100", 80 * GIB, Isolation.HARDWARE, geometry);
  }

  private static Shape shape(String gpus, long gpuMemory) {
    return new Shape(
        GpuQuantity.parse(gpus).units(), gpuMemory, 0, 0, Isolation.NONE, List.of(), false, 1);
  }

  /// Takes parts one after the other as long as one fits.
  private static List<String> fill(Sliced geometry, Shape shape, long left) {
    List<String> taken = new ArrayList<>();
    long now = left;
    while (SliceRoom.count(kind(geometry), geometry, shape, now) > 0) {
      int before = SliceRoom.count(kind(geometry), geometry, shape, now);
      SlicePlacement place = SliceRoom.choose(kind(geometry), geometry, shape, now);
      taken.add(place.label());
      now = SliceRoom.without(geometry, now, place);
      assertThat(SliceRoom.count(kind(geometry), geometry, shape, now)).isEqualTo(before - 1);
    }
    return taken;
  }

  @ParameterizedTest
  @CsvSource({
    "1/7,  7, 1/7, 1g@6 1g@4 1g@5 1g@0 1g@1 1g@2 1g@3",
    "1/8,  7, 1/7, 1g@0 1g@1 1g@2 1g@3 1g@4 1g@5 1g@6",
    "1/16, 7, 1/7, 1g@0 1g@1 1g@2 1g@3 1g@4 1g@5 1g@6",
    "1/4,  4, 1/4, 1g.2x@6 2g@4 2g@0 2g@2",
    "1/5,  4, 1/4, 1g.2x@6 2g@4 2g@0 2g@2",
    "2/7,  3, 2/7, 2g@4 2g@0 2g@2",
    "3/8,  2, 1/2, 3g@4 4g@0",
    "3/7,  2, 1/2, 3g@4 4g@0",
    "1/2,  2, 1/2, 3g@4 4g@0",
    "4/7,  1, 4/7, 4g@0",
    "9/16, 1, 1,   7g@0",
    "5/8,  1, 1,   7g@0",
    "7/8,  1, 1,   7g@0"
  })
  void roundsUpToTheSmallestMigSlice(String asked, int count, String gives, String places) {
    long idle = SliceRoom.whole(Sliced.MIG);
    Shape shape = shape(asked, Shape.PROPORTIONAL);
    assertThat(SliceRoom.count(kind(Sliced.MIG), Sliced.MIG, shape, idle)).isEqualTo(count);
    assertThat(fill(Sliced.MIG, shape, idle)).containsExactly(places.split(" "));
    assertThat(SliceRoom.choose(kind(Sliced.MIG), Sliced.MIG, shape, idle).gives())
        .isEqualTo(GpuQuantity.parse(gives));
  }

  @ParameterizedTest
  @CsvSource({
    "1/8,  8, 1/8, CPX@0 CPX@1 CPX@2 CPX@3 CPX@4 CPX@5 CPX@6 CPX@7",
    "1/16, 8, 1/8, CPX@0 CPX@1 CPX@2 CPX@3 CPX@4 CPX@5 CPX@6 CPX@7",
    "1/7,  4, 1/4, QPX@0 QPX@2 QPX@4 QPX@6",
    "1/4,  4, 1/4, QPX@0 QPX@2 QPX@4 QPX@6",
    "1/3,  2, 1/2, DPX@0 DPX@4",
    "1/2,  2, 1/2, DPX@0 DPX@4",
    "3/4,  1, 1,   SPX@0"
  })
  void roundsUpToTheSmallestAmdPartition(String asked, int count, String gives, String places) {
    long idle = SliceRoom.whole(Sliced.AMD);
    Shape shape = shape(asked, Shape.PROPORTIONAL);
    assertThat(SliceRoom.count(kind(Sliced.AMD), Sliced.AMD, shape, idle)).isEqualTo(count);
    assertThat(fill(Sliced.AMD, shape, idle)).containsExactly(places.split(" "));
    assertThat(SliceRoom.choose(kind(Sliced.AMD), Sliced.AMD, shape, idle).gives())
        .isEqualTo(GpuQuantity.parse(gives));
  }

  /// Requests for parts of the memory leave whole parts to others, in any order of arrival. Only
  /// two orders of eighths, quarters and halves that could fill one device fail. In both, a quarter
  /// comes early among six eighths, and would have to be the last two eighths.
  @Test
  void packsPartsOfTheMemoryInAnyOrder() {
    List<List<String>> failing = new ArrayList<>();
    packs(List.of(), SliceRoom.whole(Sliced.MIG), failing);
    assertThat(failing)
        .containsExactly(
            List.of("1/8", "1/8", "1/4", "1/8", "1/8", "1/8", "1/8"),
            List.of("1/8", "1/4", "1/8", "1/8", "1/8", "1/8", "1/8"));
  }

  private static void packs(List<String> asked, long left, List<List<String>> failing) {
    for (String next : List.of("1/8", "1/4", "1/2")) {
      List<String> more = new ArrayList<>(asked);
      more.add(next);
      Shape shape = shape(next, Shape.PROPORTIONAL);
      if (couldFit(more)) {
        if (SliceRoom.count(kind(Sliced.MIG), Sliced.MIG, shape, left) == 0) {
          failing.add(more);
        } else {
          SlicePlacement place = SliceRoom.choose(kind(Sliced.MIG), Sliced.MIG, shape, left);
          packs(more, SliceRoom.without(Sliced.MIG, left, place), failing);
        }
      }
    }
  }

  /// Largest first they always find places if there are any.
  private static boolean couldFit(List<String> asked) {
    long left = SliceRoom.whole(Sliced.MIG);
    List<String> largestFirst = new ArrayList<>(asked);
    largestFirst.sort(Comparator.comparing(GpuQuantity::parse).reversed());
    for (String next : largestFirst) {
      Shape shape = shape(next, Shape.PROPORTIONAL);
      if (SliceRoom.count(kind(Sliced.MIG), Sliced.MIG, shape, left) == 0) {
        return false;
      }
      SlicePlacement place = SliceRoom.choose(kind(Sliced.MIG), Sliced.MIG, shape, left);
      left = SliceRoom.without(Sliced.MIG, left, place);
    }
    return true;
  }

  @Test
  void keepsTheModeOfAnAmdDeviceThatIsInUse() {
    long quarters =
        SliceRoom.without(
            Sliced.AMD,
            SliceRoom.whole(Sliced.AMD),
            new SlicePlacement("QPX", 2, 2, GpuQuantity.parse("1/4")));
    assertThat(fill(Sliced.AMD, shape("1/2", Shape.PROPORTIONAL), quarters)).isEmpty();
    assertThat(fill(Sliced.AMD, shape("1/4", Shape.PROPORTIONAL), quarters))
        .containsExactly("QPX@0", "QPX@4", "QPX@6");
    Shape eighth = shape("1/8", Shape.PROPORTIONAL);
    assertThat(fill(Sliced.AMD, eighth, quarters)).containsExactly("QPX@0", "QPX@4", "QPX@6");
    assertThat(SliceRoom.isOversized(kind(Sliced.AMD), Sliced.AMD, eighth, quarters)).isTrue();
    assertThat(
            SliceRoom.isOversized(
                kind(Sliced.AMD), Sliced.AMD, shape("1/4", Shape.PROPORTIONAL), quarters))
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource({"1/8, 11, 1g.2x@6", "1/8, 9, 1g@0", "1/4, 30, 3g@4", "1/7, 60, 7g@0"})
  void givesTheMemoryThatIsAskedFor(String asked, long gib, String place) {
    long idle = SliceRoom.whole(Sliced.MIG);
    assertThat(
            SliceRoom.choose(kind(Sliced.MIG), Sliced.MIG, shape(asked, gib * GIB), idle).label())
        .isEqualTo(place);
  }

  /// Tries all ways to lay slices side by side: that many fit, whatever is there already.
  @Test
  void countsWhatFitsBesideAnything() {
    for (String asked : List.of("1/7", "1/8", "1/4", "2/7", "1/2", "4/7", "5/8")) {
      Shape shape = shape(asked, Shape.PROPORTIONAL);
      for (int free = 0; free < 256; free++) {
        long left = SliceRoom.of(free, 0);
        assertThat(SliceRoom.count(kind(Sliced.MIG), Sliced.MIG, shape, left))
            .as("%s into %s", asked, Integer.toBinaryString(free))
            .isEqualTo(mostOf(shape, free));
        fill(Sliced.MIG, shape, left);
      }
    }
  }

  private static int mostOf(Shape shape, int free) {
    int smallest = 8;
    for (SliceProfile profile : Sliced.MIG.profiles()) {
      if (Sliced.MIG.serves(profile, shape.units())) {
        smallest = Math.min(smallest, profile.memorySlices());
      }
    }
    int most = 0;
    for (SliceProfile profile : Sliced.MIG.profiles()) {
      if (profile.memorySlices() == smallest && Sliced.MIG.serves(profile, shape.units())) {
        for (int start : profile.starts()) {
          int slice = (1 << smallest) - 1 << start;
          if ((free & slice) == slice) {
            most = Math.max(most, 1 + mostOf(shape, free & ~slice));
          }
        }
      }
    }
    return most;
  }

  /// The standard table has no two slices side by side that need more compute than there is.
  @Test
  void placesAreEnoughToKnowWhatFitsTogether() {
    Set<List<String>> layouts = new HashSet<>();
    layOut(0, 0, new ArrayList<>(), layouts);
    assertThat(layouts).contains(List.of("4g@0", "3g@4"), List.of("2g@0", "2g@2", "3g@4"));
    assertThat(layouts).contains(List.of("1g@0", "1g@1", "2g@2", "2g@4", "1g@6"));
  }

  private static void layOut(int at, int compute, List<String> made, Set<List<String>> layouts) {
    assertThat(compute).isLessThanOrEqualTo(7);
    layouts.add(List.copyOf(made));
    for (SliceProfile profile : Sliced.MIG.profiles()) {
      for (int start : profile.starts()) {
        if (start >= at) {
          made.add(profile.name() + "@" + start);
          layOut(start + profile.memorySlices(), compute + profile.computeSlices(), made, layouts);
          made.removeLast();
        }
      }
    }
  }

  @Test
  void knowsWhatCanStillBeAskedFor() {
    assertThat(SliceRoom.usableUnits(Sliced.MIG, SliceRoom.whole(Sliced.MIG)))
        .isEqualTo(UNITS_PER_GPU);
    assertThat(SliceRoom.usableUnits(Sliced.MIG, SliceRoom.of(0b1000_0000, 0))).isZero();
    assertThat(SliceRoom.usableUnits(Sliced.MIG, SliceRoom.of(0b0111_0000, 0)))
        .isEqualTo(3 * UNITS_PER_GPU / 7);
    assertThat(SliceRoom.usableUnits(Sliced.AMD, SliceRoom.of(0b1111_0000, 2)))
        .isEqualTo(UNITS_PER_GPU / 2);
    assertThat(SliceRoom.usableUnits(Sliced.AMD, SliceRoom.NOTHING)).isZero();
  }

  @Test
  void takesTheTableThatADeviceReports() {
    // An A30: four slices.
    Sliced small =
        new Sliced(
            Geometry.Kind.MIG,
            4,
            4,
            List.of(
                new SliceProfile("1g.6gb", 1, 1, List.of(0, 1, 2, 3)),
                new SliceProfile("2g.12gb", 2, 2, List.of(0, 2)),
                new SliceProfile("4g.24gb", 4, 4, List.of(0))));
    assertThat(fill(small, shape("1/7", Shape.PROPORTIONAL), SliceRoom.whole(small)))
        .containsExactly("1g.6gb@0", "1g.6gb@1", "1g.6gb@2", "1g.6gb@3");
    assertThat(fill(small, shape("3/8", Shape.PROPORTIONAL), SliceRoom.whole(small)))
        .containsExactly("2g.12gb@0", "2g.12gb@2");
  }

  @Test
  void refusesATableThatCannotBe() {
    assertThatThrownBy(() -> new Sliced(Geometry.Kind.MIG, 9, 7, Sliced.MIG.profiles()))
        .hasMessage("a device of 9 memory slices (1 to 8) and 7 compute slices (from 1)");
    assertThatThrownBy(() ->
            new Sliced(
                Geometry.Kind.MIG, 8, 7, List.of(new SliceProfile("3g", 4, 3, List.of(0, 5)))))
        .hasMessageContaining("exceeds a device of 8 memory slices and 7 compute slices");
    assertThatThrownBy(() -> new SliceProfile("3g", 4, 3, List.of(4, 0)))
        .hasMessage("slice profile 3g: starts [4, 0] must ascend from 0");
  }
}
