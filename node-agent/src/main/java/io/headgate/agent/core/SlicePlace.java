package io.headgate.agent.core;

/// Where on a MIG or AMD device a slice lies.
///
/// @param profile its size as the driver calls it; of AMD devices the mode
/// @param start its first memory slice, from 0
/// @param size how many memory slices it takes, from 1
public record SlicePlace(String profile, int start, int size) {
  private static final int MAX = 8;

  public SlicePlace {
    if (profile.isEmpty() || start < 0 || size < 1 || start + size > MAX) {
      throw new IllegalArgumentException(
          "slice \"%s\" at %d of %d memory slices".formatted(profile, start, size));
    }
  }

  /// Whether both cannot be on one device: they overlap, or partitions differ in size.
  ///
  /// @param uniform whether all slices of the device have one size
  public boolean isInTheWayOf(SlicePlace other, boolean uniform) {
    boolean overlap = start < other.start + other.size && other.start < start + size;
    return overlap || (uniform && size != other.size);
  }

  /// `3g@4`.
  @Override
  public String toString() {
    return profile + "@" + start;
  }
}
