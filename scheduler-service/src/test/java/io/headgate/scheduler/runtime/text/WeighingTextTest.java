package io.headgate.scheduler.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.Weighing;
import io.headgate.scheduler.core.job.Weighing.Way;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WeighingTextTest {
  record Case(Weighing weighing, String sentence) {}

  static Stream<Case> cases() {
    return Stream.of(
        new Case(
            weighing(Way.ORDER, 1, 1, "16", 18_000, OptionalInt.of(0)),
            "no smaller job of its standing may go; it is first in the order of victims; it frees 16"
                + " GPUs and loses 5h of GPU time"),
        new Case(
            weighing(Way.ORDER, 2, 1, "16", 0, OptionalInt.of(1)),
            "1 smaller job of its standing may go, and does not suffice; of the first 2 in the order"
                + " of victims 1 suffices: the fewest, then the least lost work; it frees 16 GPUs and"
                + " loses no work"),
        new Case(
            weighing(Way.ORDER, 3, 3, "1/2", 90, OptionalInt.empty()),
            "the first 3 in the order of victims are needed; it frees 1/2 GPU and loses 1m30s of GPU"
                + " time"),
        new Case(
            weighing(Way.PLACE, 4, 2, "1", 90, OptionalInt.of(7)),
            "7 smaller jobs of its standing may go, and do not suffice; the order of victims leads to"
                + " no place, so each place was looked at by itself: of 4 jobs 2 suffice; it frees 1"
                + " GPU and loses 1m30s of GPU time"),
        new Case(
            weighing(Way.ORDER, 1, 1, "0", 90, OptionalInt.empty()),
            "it is first in the order of victims; it was suspended, so it frees memory only"));
  }

  private static Weighing weighing(
      Way way, int considered, int victims, String freed, int lost, OptionalInt smaller) {
    return new Weighing(
        way, considered, victims, GpuQuantity.parse(freed), Duration.ofSeconds(lost), smaller);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void saysWhyItWasChosen(Case each) {
    Map<String, String> detail = WeighingText.detail(each.weighing());

    assertThat(WeighingText.sentence(detail)).isEqualTo(each.sentence());
    assertThat(WeighingText.sentence(DecisionText.withoutWinner(detail)))
        .as("for a reader that does not see other jobs")
        .doesNotContain("order", "may go", "suffice:")
        .endsWith(each.sentence().substring(each.sentence().lastIndexOf("; ") + 2));
  }
}
