package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.type.GpuQuantity;
import io.headgate.type.InexactQuantityException;
import io.headgate.type.NearestName;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextFormsTest {
  @ParameterizedTest
  @CsvSource({
    "90s,90,1m30s",
    "15m,900,15m",
    "2h,7200,2h",
    "1h30m,5400,1h30m",
    "7d,604800,168h",
    "0s,0,0s"
  })
  void readsAndWritesDurations(String text, long seconds, String canonical) {
    assertThat(DurationText.parse(text)).contains(Duration.ofSeconds(seconds));
    assertThat(DurationText.format(Duration.ofSeconds(seconds))).isEqualTo(canonical);
    assertThat(DurationText.parse(canonical)).contains(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "m", "1.5h", "-5s", "10 m", "30m1h", "99999999999999999999s"})
  void refusesOtherDurations(String text) {
    assertThat(DurationText.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "16GiB,17179869184,16GiB", "80GB,80000000000,80GB", "1.5GiB,1610612736,1536MiB", "0B,0,0B",
    "512MiB,536870912,512MiB", "1024MiB,1073741824,1GiB", "10kB,10000,10KB", "3B,3,3B"
  })
  void readsAndWritesBytes(String text, long bytes, String canonical) {
    assertThat(ByteText.parse(text)).contains(bytes);
    assertThat(ByteText.format(bytes)).isEqualTo(canonical);
    assertThat(ByteText.parse(canonical)).contains(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "16", "GiB", "16gib", "-1GiB", "1.0001B", "999999999999999PiB"})
  void refusesOtherBytes(String text) {
    assertThat(ByteText.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"jbos,jobs", "hlaf,half", "ai-dev-hlaf,ai-dev-half", "polices,policies"})
  void findsTheNearestName(String typed, String meant) {
    assertThat(NearestName.find(typed, List.of("jobs", "half", "ai-dev-half", "policies", "pools")))
        .contains(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "zzz", "apply"})
  void findsNothingNear(String typed) {
    assertThat(NearestName.find(typed, List.of("jobs", "half", "policies"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1/11|1/10 1/12 0.091",
        "0.1234567|0.123 0.124",
        "0.0001|0.001",
        "2/13|1/6 1/7 0.154"
      })
  void advisesQuantitiesThatExist(String text, String advice) {
    InexactQuantityException inexact =
        org.assertj.core.api.Assertions.catchThrowableOfType(
            InexactQuantityException.class, () -> GpuQuantity.parse(text));

    List<String> near = QuantityAdvice.near(text, inexact);

    assertThat(near).containsExactly(advice.split(" "));
    assertThat(near).allSatisfy(GpuQuantity::parse);
  }
}
