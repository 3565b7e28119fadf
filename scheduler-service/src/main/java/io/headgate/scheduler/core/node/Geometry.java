package io.headgate.scheduler.core.node;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import java.util.ArrayList;
import java.util.List;

/// How a device can be divided.
public sealed interface Geometry {
  /// Any fraction, anywhere, by limits on memory and compute.
  record Continuous() implements Geometry {}

  /// Slices of certain sizes at certain places.
  ///
  /// A MIG device of 8 memory and 7 compute slices: `1g` may start at 0 to 6 and takes 1 memory
  /// slice, `3g` at 0 and 4 and takes 4. The places say everything: slices whose memory slices do
  /// not overlap can exist side by side.
  ///
  /// @param kind whether slices of different sizes can be side by side
  /// @param memorySlices of the device, 1 to [#MAX_MEMORY_SLICES]
  /// @param computeSlices of the device, from 1
  /// @param profiles the sizes
  record Sliced(Kind kind, int memorySlices, int computeSlices, List<SliceProfile> profiles)
      implements Geometry {
    /// The most memory slices of any device; their use is kept in one word.
    public static final int MAX_MEMORY_SLICES = 8;

    /// A100, H100, H200 and B200; drivers say the same with their own names.
    public static final Sliced MIG =
        new Sliced(
            Kind.MIG,
            8,
            7,
            List.of(
                new SliceProfile("1g", 1, 1, List.of(0, 1, 2, 3, 4, 5, 6)),
                new SliceProfile("1g.2x", 2, 1, List.of(0, 2, 4, 6)),
                new SliceProfile("2g", 2, 2, List.of(0, 2, 4)),
                new SliceProfile("3g", 4, 3, List.of(0, 4)),
                new SliceProfile("4g", 4, 4, List.of(0)),
                new SliceProfile("7g", 8, 7, List.of(0))));

    /// MI300X: in one of four modes, each with equal partitions.
    public static final Sliced AMD =
        new Sliced(
            Kind.AMD_PARTITION,
            8,
            8,
            List.of(
                partitions("CPX", 8),
                partitions("QPX", 4),
                partitions("DPX", 2),
                partitions("SPX", 1)));

    public Sliced {
      profiles = List.copyOf(profiles);
      if (memorySlices < 1 || memorySlices > MAX_MEMORY_SLICES || computeSlices < 1) {
        throw new IllegalArgumentException(
            "a device of %d memory slices (1 to %d) and %d compute slices (from 1)"
                .formatted(memorySlices, MAX_MEMORY_SLICES, computeSlices));
      }
      if (profiles.isEmpty()) {
        throw new IllegalArgumentException("a sliced device has at least one profile");
      }
      for (SliceProfile profile : profiles) {
        if (profile.starts().getLast() + profile.memorySlices() > memorySlices
            || profile.computeSlices() > computeSlices) {
          throw new IllegalArgumentException(
              "%s exceeds a device of %d memory slices and %d compute slices"
                  .formatted(profile, memorySlices, computeSlices));
        }
      }
    }

    private static SliceProfile partitions(String mode, int count) {
      int size = 8 / count;
      List<Integer> starts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        starts.add(i * size);
      }
      return new SliceProfile(mode, size, size, starts);
    }

    /// Whether all slices of the device have one size, which can change only while it is idle.
    public boolean isUniform() {
      return kind == Kind.AMD_PARTITION;
    }

    /// Units of GPU that a slice of the profile gives: its part of the memory or of the compute,
    /// whichever is more. A `1g` gives 1/7, a `3g` 1/2.
    public long gives(SliceProfile profile) {
      return Math.max(
          UNITS_PER_GPU * profile.memorySlices() / memorySlices,
          UNITS_PER_GPU * profile.computeSlices() / computeSlices);
    }

    /// Whether a slice of the profile is large enough for this need.
    ///
    /// A part is a part of the memory, so a job never gets less than it asks for. A need in compute
    /// slices (`1/7`, `3/7` of a MIG device) is served in compute slices; otherwise seven sevenths
    /// would not fit.
    ///
    /// @param units of GPU, at most a whole one
    public boolean serves(SliceProfile profile, long units) {
      return units * memorySlices <= profile.memorySlices() * UNITS_PER_GPU
          || (units * computeSlices % UNITS_PER_GPU == 0
              && units * computeSlices <= profile.computeSlices() * UNITS_PER_GPU);
    }
  }

  /// How a sliced device is divided.
  enum Kind {
    /// NVIDIA: slices of any sizes side by side, as far as their places allow.
    MIG,
    /// AMD: equal partitions; another mode only while the device is idle.
    AMD_PARTITION
  }
}
