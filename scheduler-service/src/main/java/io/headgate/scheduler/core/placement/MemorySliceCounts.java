package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.node.Geometry;

/// Counts the owners of each memory slice of a sliced device: a held place may overlap a place that
/// still stops.
///
/// Counts are bytes of a word. New parts of such a device always have a placement. A part from
/// before the device was divided keeps its place without one; then nothing else fits.
final class MemorySliceCounts {
  private static final long ONE_EACH = 0x0101010101010101L;
  private static final long MORE_THAN_ONE = 0xFEFEFEFEFEFEFEFEL;

  /// How many have the memory slice; by slice.
  private long counts;

  /// How many slices there are of a size; by size, of 1 in the lowest byte.
  private long sizes;

  /// Units that are taken without a placement.
  private long unplaced;

  void add(Slice slice, int sign) {
    if (slice.placement().isEmpty()) {
      unplaced += sign * slice.quantity().units();
      return;
    }
    SlicePlacement placement = slice.placement().get();
    counts += sign * (pattern(placement.start(), placement.size()) & ONE_EACH);
    sizes += sign * (1L << (Byte.SIZE * (placement.size() - 1)));
  }

  void add(MemorySliceCounts other) {
    counts += other.counts;
    sizes += other.sizes;
    unplaced += other.unplaced;
  }

  private static long pattern(int start, int size) {
    long ones = size == Long.BYTES ? -1L : (1L << (Byte.SIZE * size)) - 1;
    return ones << (Byte.SIZE * start);
  }

  /// Whether two have the same memory slice.
  boolean overlap() {
    return (counts & MORE_THAN_ONE) != 0;
  }

  /// Whether some owners overlap, so that not all can have their slices at once.
  boolean isOverdrawn(Geometry.Sliced geometry) {
    return overlap() || isMixed(geometry) || (unplaced > 0 && counts != 0);
  }

  private boolean isMixed(Geometry.Sliced geometry) {
    return geometry.isUniform() && sizes != 0 && sizes >>> lowestSize() > 0xFF;
  }

  private int lowestSize() {
    return Long.numberOfTrailingZeros(sizes) / Byte.SIZE * Byte.SIZE;
  }

  /// The free places, in the form that [SliceRoom] reads.
  long left(Geometry.Sliced geometry) {
    if (unplaced > 0 || isMixed(geometry)) {
      return SliceRoom.NOTHING;
    }
    int free = 0;
    for (int i = 0; i < geometry.memorySlices(); i++) {
      if ((counts >>> (Byte.SIZE * i) & 0xFF) == 0) {
        free |= 1 << i;
      }
    }
    boolean bound = geometry.isUniform() && sizes != 0;
    return SliceRoom.of(free, bound ? lowestSize() / Byte.SIZE + 1 : 0);
  }
}
