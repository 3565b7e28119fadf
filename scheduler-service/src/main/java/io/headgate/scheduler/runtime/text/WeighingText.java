package io.headgate.scheduler.runtime.text;

import io.headgate.kit.config.Durations;
import io.headgate.scheduler.core.job.Weighing;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A [Weighing] as numbers and in one sentence. The sentence follows from the numbers, which events
/// keep.
public final class WeighingText {
  private static final String SEARCH = "search";
  private static final String CONSIDERED = "considered";
  private static final String VICTIMS = "victims";
  private static final String FREED = "freed";
  private static final String LOST = "lostGpuSeconds";
  private static final String SMALLER = "smaller";
  private static final String OVERSIZED = "oversized";

  /// The numbers about jobs of other teams.
  static final List<String> OF_OTHERS = List.of(SEARCH, CONSIDERED, VICTIMS, SMALLER);

  private WeighingText() {}

  /// The numbers by name.
  static Map<String, String> detail(Weighing weighing) {
    Map<String, String> detail = new LinkedHashMap<>();
    detail.put(SEARCH, weighing.way().name());
    detail.put(CONSIDERED, "" + weighing.considered());
    detail.put(VICTIMS, "" + weighing.victims());
    detail.put(FREED, weighing.freed().toString());
    detail.put(LOST, "" + weighing.lost().toSeconds());
    weighing
        .smaller()
        .ifPresent(smaller -> {
          detail.put(SMALLER, "" + smaller);
          detail.put(OVERSIZED, "true");
        });
    return detail;
  }

  /// `no smaller job of its standing may go; it is first in the order of victims; it frees 16 GPUs
  /// and loses 5h of GPU time`. Without the numbers about others, it does not mention them.
  ///
  /// @param detail the numbers of a preemption
  /// @return empty: nothing was weighed
  public static String sentence(Map<String, String> detail) {
    if (!detail.containsKey(FREED)) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    if (detail.containsKey(SMALLER)) {
      parts.add(smaller(number(detail, SMALLER)));
    } else if (detail.containsKey(OVERSIZED)) {
      parts.add("no smaller job of its standing suffices");
    }
    if (detail.containsKey(SEARCH)) {
      parts.add(choice(detail));
    }
    parts.add(cost(detail));
    return String.join("; ", parts);
  }

  private static String smaller(int count) {
    return switch (count) {
      case 0 -> "no smaller job of its standing may go";
      case 1 -> "1 smaller job of its standing may go, and does not suffice";
      default -> count + " smaller jobs of its standing may go, and do not suffice";
    };
  }

  private static String choice(Map<String, String> detail) {
    int considered = number(detail, CONSIDERED);
    int victims = number(detail, VICTIMS);
    String suffice = victims == 1 ? "1 suffices" : victims + " suffice";
    if (Weighing.Way.PLACE.name().equals(detail.get(SEARCH))) {
      return "the order of victims leads to no place, so each place was looked at by itself: of %s %s"
          .formatted(considered == 1 ? "1 job" : considered + " jobs", suffice);
    }
    if (considered == 1) {
      return "it is first in the order of victims";
    }
    return considered == victims
        ? "the first " + considered + " in the order of victims are needed"
        : "of the first %d in the order of victims %s: the fewest, then the least lost work"
            .formatted(considered, suffice);
  }

  private static String cost(Map<String, String> detail) {
    GpuQuantity freed = GpuQuantity.parse(detail.getOrDefault(FREED, "0"));
    if (freed.units() == 0) {
      return "it was suspended, so it frees memory only";
    }
    long seconds = Long.parseLong(detail.getOrDefault(LOST, "0"));
    return "it frees %s %s and loses %s"
        .formatted(
            freed.mixed(),
            freed.compareTo(GpuQuantity.ONE) > 0 ? "GPUs" : "GPU",
            seconds == 0
                ? "no work"
                : Durations.format(Duration.ofSeconds(seconds)) + " of GPU time");
  }

  private static int number(Map<String, String> detail, String name) {
    return Integer.parseInt(detail.getOrDefault(name, "0"));
  }
}
