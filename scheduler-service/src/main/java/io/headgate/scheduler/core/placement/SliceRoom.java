package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.SliceProfile;
import io.headgate.type.GpuQuantity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The free places of a sliced device, as one number, and the choice of the best placement.
///
/// The lowest bits say which memory slices are free. Above them stands the size of all slices of
/// the device, if it is uniform and not idle.
///
/// A part gets the smallest slice that serves it. On a uniform device in use it gets the slice size
/// of the device, if that is large enough. Among several placements, it gets the one that leaves
/// the most room beside it. It never leaves room for fewer of its own kind than another placement:
/// seven sevenths always find seven places.
///
/// The room beside it depends on other jobs' needs, which are assumed to be like this one's. A part
/// of the memory (`1/8`, `1/2`) gets any slice of the size, so places count by size. On an empty
/// MIG device an eighth goes to 0, and after three more a half still finds 4 to 7. A need in
/// compute slices (`1/7`) takes the profile that has them: a seventh goes to 6, where no `2g` can
/// be, and a `3g` to 4, where no `4g` can be.
final class SliceRoom {
  /// Nothing is free, and nothing will be before an attempt leaves.
  static final long NOTHING = 0;

  private static final int MASK = (1 << Geometry.Sliced.MAX_MEMORY_SLICES) - 1;

  private SliceRoom() {}

  /// @param free one bit for each memory slice
  /// @param size of all slices of the device; 0: any
  static long of(int free, int size) {
    return (long) size << Geometry.Sliced.MAX_MEMORY_SLICES | free;
  }

  private static int bits(int start, int size) {
    return ((1 << size) - 1) << start;
  }

  /// The free places of an idle device.
  static long whole(Geometry.Sliced geometry) {
    return of(bits(0, geometry.memorySlices()), 0);
  }

  private static int free(long left) {
    return (int) left & MASK;
  }

  private static int boundTo(long left) {
    return (int) (left >>> Geometry.Sliced.MAX_MEMORY_SLICES);
  }

  /// The memory of a slice.
  static long memoryBytes(DeviceKind kind, Geometry.Sliced geometry, int size) {
    // In two steps, so that no memory size overflows.
    long each = kind.memoryBytes() / geometry.memorySlices();
    long rest = kind.memoryBytes() % geometry.memorySlices();
    return each * size + rest * size / geometry.memorySlices();
  }

  private static boolean serves(
      DeviceKind kind, Geometry.Sliced geometry, SliceProfile profile, Shape shape) {
    return geometry.serves(profile, shape.units())
        && memoryBytes(kind, geometry, profile.memorySlices()) >= shape.gpuMemoryBytes();
  }

  /// The size of the slices that a part gets; 0 when no slice gives it.
  private static int size(DeviceKind kind, Geometry.Sliced geometry, Shape shape, long left) {
    int bound = boundTo(left);
    int smallest = 0;
    for (SliceProfile profile : geometry.profiles()) {
      int size = profile.memorySlices();
      if ((bound == 0 || size == bound)
          && (smallest == 0 || size < smallest)
          && serves(kind, geometry, profile, shape)) {
        smallest = size;
      }
    }
    return smallest;
  }

  /// Whether the part would get a larger slice than on an idle device.
  static boolean isOversized(DeviceKind kind, Geometry.Sliced geometry, Shape shape, long left) {
    return boundTo(left) > 0
        && size(kind, geometry, shape, left) > size(kind, geometry, shape, whole(geometry));
  }

  /// Where a slice of the size that serves the shape may begin, one bit for each memory slice.
  private static int starts(DeviceKind kind, Geometry.Sliced geometry, Shape shape, int size) {
    int starts = 0;
    for (SliceProfile profile : geometry.profiles()) {
      if (profile.memorySlices() == size && serves(kind, geometry, profile, shape)) {
        starts |= starts(profile);
      }
    }
    return starts;
  }

  /// How many parts of the shape fit at once, by their places alone.
  static int count(DeviceKind kind, Geometry.Sliced geometry, Shape shape, long left) {
    int size = size(kind, geometry, shape, left);
    return size == 0 ? 0 : count(free(left), starts(kind, geometry, shape, size), size);
  }

  /// As many as possible without overlap: of equally long ones, always the first that is free.
  private static int count(int free, int starts, int size) {
    int slice = bits(0, size);
    int count = 0;
    for (int at = 0; free >>> at != 0; at++) {
      if ((starts >>> at & 1) != 0 && (free >>> at & slice) == slice) {
        count++;
        at += size - 1;
      }
    }
    return count;
  }

  /// The best placement of a part; only when one fits.
  static SlicePlacement choose(DeviceKind kind, Geometry.Sliced geometry, Shape shape, long left) {
    int size = size(kind, geometry, shape, left);
    int free = free(left);
    int starts = starts(kind, geometry, shape, size);
    int most = count(free, starts, size);
    SliceProfile best = null;
    int bestStart = 0;
    long bestWorth = -1;
    boolean inCompute = isInCompute(geometry, shape);
    for (SliceProfile profile : geometry.profiles()) {
      if (profile.memorySlices() != size || !serves(kind, geometry, profile, shape)) {
        continue;
      }
      for (int start : profile.starts()) {
        int slice = bits(start, size);
        int after = free & ~slice;
        if ((free & slice) != slice || count(after, starts, size) < most - 1) {
          continue;
        }
        long worth = worth(geometry, after, profile, inCompute);
        if (worth > bestWorth) {
          best = profile;
          bestStart = start;
          bestWorth = worth;
        }
      }
    }
    if (best == null) {
      throw new IllegalStateException(shape + " does not fit");
    }
    return placement(geometry, best, bestStart);
  }

  /// Whether the device has an unused place for the profile there.
  static boolean isFree(Geometry.Sliced geometry, SliceProfile profile, int start, long left) {
    int slice = bits(start, profile.memorySlices());
    int bound = boundTo(left);
    return profile.starts().contains(start)
        && (bound == 0 || bound == profile.memorySlices())
        && (free(left) & slice) == slice;
  }

  /// Whether the part is a number of compute slices, and not of memory slices.
  private static boolean isInCompute(Geometry.Sliced geometry, Shape shape) {
    return shape.units() * geometry.computeSlices() % UNITS_PER_GPU == 0
        && shape.units() * geometry.memorySlices() % UNITS_PER_GPU != 0;
  }

  /// How much still fits, each size for itself, or each profile; of equal ones the profile that
  /// brings most compute.
  private static long worth(
      Geometry.Sliced geometry, int free, SliceProfile taken, boolean byProfile) {
    long worth = 0;
    int sizes = 0;
    for (SliceProfile profile : geometry.profiles()) {
      int size = profile.memorySlices();
      if (byProfile || (sizes >>> size & 1) == 0) {
        sizes |= 1 << size;
        int starts = 0;
        for (SliceProfile other : byProfile ? List.of(profile) : geometry.profiles()) {
          starts |= other.memorySlices() == size ? starts(other) : 0;
        }
        worth += (long) size * count(free, starts, size);
      }
    }
    return worth << Byte.SIZE | taken.computeSlices();
  }

  private static int starts(SliceProfile profile) {
    int starts = 0;
    for (int start : profile.starts()) {
      starts |= 1 << start;
    }
    return starts;
  }

  /// All of an idle device; null when it cannot be one slice.
  static @Nullable SlicePlacement wholePlacement(Geometry.Sliced geometry) {
    for (SliceProfile profile : geometry.profiles()) {
      if (profile.memorySlices() == geometry.memorySlices()) {
        return placement(geometry, profile, 0);
      }
    }
    return null;
  }

  static SlicePlacement placement(Geometry.Sliced geometry, SliceProfile profile, int start) {
    return new SlicePlacement(
        profile.name(), start, profile.memorySlices(), new GpuQuantity(geometry.gives(profile)));
  }

  /// The free places once the placement is taken.
  static long without(Geometry.Sliced geometry, long left, SlicePlacement placement) {
    int slice = bits(placement.start(), placement.size());
    return of(free(left) & ~slice, geometry.isUniform() ? placement.size() : 0);
  }

  /// The most units of GPU that jobs can still ask of it, of a whole device at most.
  static long usableUnits(Geometry.Sliced geometry, long left) {
    int bound = boundTo(left);
    int free = free(left);
    long[] most = new long[geometry.memorySlices() + 1];
    for (int at = geometry.memorySlices() - 1; at >= 0; at--) {
      most[at] = most[at + 1];
      for (SliceProfile profile : geometry.profiles()) {
        int size = profile.memorySlices();
        int slice = bits(at, size);
        if ((bound == 0 || bound == size)
            && (free & slice) == slice
            && profile.starts().contains(at)) {
          most[at] = Math.max(most[at], geometry.gives(profile) + most[at + size]);
        }
      }
    }
    return Math.min(UNITS_PER_GPU, most[0]);
  }
}
