package io.headgate.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuQuantityTest {
  @ParameterizedTest
  @CsvSource({
    "4, 4",
    "0, 0",
    "0.5, 1/2",
    "1/7, 1/7",
    "2/4, 1/2",
    "0.125, 1/8",
    "0.001, 1/1000",
    "8.5, 17/2",
    "1/16, 1/16",
    "7/7, 1",
    "1000000000, 1000000000"
  })
  void readsEveryFormAndPrintsLowestTerms(String text, String canonical) {
    assertThat(GpuQuantity.parse(text)).hasToString(canonical);
    assertThat(GpuQuantity.parse(canonical)).isEqualTo(GpuQuantity.parse(text));
  }

  @ParameterizedTest
  @CsvSource({"0,0", "1/2,1/2", "4,4", "29/2,14 1/2", "75/14,5 5/14"})
  void peopleReadMixedFractions(String text, String mixed) {
    assertThat(GpuQuantity.parse(text).mixed()).isEqualTo(mixed);
  }

  @Test
  void sevenSeventhsAreOneGpu() {
    assertThat(GpuQuantity.parse("1/7").times(7)).isEqualTo(GpuQuantity.ONE);
  }

  @Test
  void refusesAnInexactQuantityNamingTheTwoNearest() {
    assertThatThrownBy(() -> GpuQuantity.parse("0.1234567"))
        .isInstanceOf(InexactQuantityException.class)
        .hasMessage(
            "0.1234567 GPU cannot be represented exactly: quantities are multiples of 1/126000; "
                + "the nearest are 15555/126000 and 15556/126000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " 1",
        "-1",
        "1/0",
        "one",
        "1e3",
        ".5",
        "5.",
        "1/2/3",
        "10000000000000",
        "1000000001"
      })
  void refusesWhatIsNotAQuantity(String text) {
    assertThatThrownBy(() -> GpuQuantity.parse(text))
        .isInstanceOf(MalformedQuantityException.class)
        .hasMessageContaining("\"" + text + "\"");
  }

  @Test
  void tellsFractionsFromWholeGpus() {
    assertThat(GpuQuantity.parse("1/2").isFraction()).isTrue();
    assertThat(GpuQuantity.parse("3/2").isFraction()).isFalse();
    assertThat(GpuQuantity.parse("3/2").isWhole()).isFalse();
    assertThat(GpuQuantity.ZERO.isWhole()).isTrue();
    assertThat(GpuQuantity.ZERO.isFraction()).isFalse();
  }
}
