package io.headgate.scheduler.store;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;

/// The place of a slice as its column has it: `4 4 63000 3g`, or nothing.
final class PlaceText {
  private PlaceText() {}

  /// One for each slice; none at all when no slice has a place.
  static List<String> of(List<Slice> slices) {
    boolean any = slices.stream().anyMatch(slice -> slice.placement().isPresent());
    return any ? slices.stream().map(PlaceText::of).toList() : List.of();
  }

  private static String of(Slice slice) {
    return slice
        .placement()
        .map(place ->
            "%d %d %d %s"
                .formatted(place.start(), place.size(), place.gives().units(), place.profile()))
        .orElse("");
  }

  /// @throws IllegalArgumentException when it is no place
  static Optional<SlicePlacement> parse(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String[] parts = text.split(" ", 4);
    if (parts.length < 4) {
      throw new IllegalArgumentException("\"" + text + "\" is no place of a slice");
    }
    return Optional.of(
        new SlicePlacement(
            parts[3],
            Integer.parseInt(parts[0]),
            Integer.parseInt(parts[1]),
            new GpuQuantity(Long.parseLong(parts[2]))));
  }
}
