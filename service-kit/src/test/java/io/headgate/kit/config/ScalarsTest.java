package io.headgate.kit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.decision.NearestWord;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScalarsTest {
  @ParameterizedTest
  @CsvSource({
    "250ms, 250",
    "90s, 90000",
    "15m, 900000",
    "2h, 7200000",
    "1d, 86400000",
    "1h30m, 5400000",
    "0s, 0",
    "1m1ms, 60001"
  })
  void readsDurations(String text, long millis) {
    assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
    assertThat(Durations.parse(Durations.format(Duration.ofMillis(millis))))
        .isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "-1s", "1.5h", "30m1h", "90 s", "99999999999999999999d"})
  void refusesOtherDurations(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0B",
    "4096, 4096, 4KiB",
    "16GiB, 17179869184, 16GiB",
    "80GB, 80000000000, 78125000KiB",
    "1.5MiB, 1572864, 1536KiB",
    "1000B, 1000, 1000B"
  })
  void readsSizes(String text, long bytes, String canonical) {
    assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
    assertThat(ByteSize.parse(text)).hasToString(canonical);
    assertThat(ByteSize.parse(canonical).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1.5", "GiB", "1EiB", "99999999PiB", "1 0MiB"})
  void refusesOtherSizes(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void findsTheWordThatWasMeant() {
    List<String> known = List.of("database", "telemetry", "port");
    assertThat(NearestWord.of("databse", known)).contains("database");
    assertThat(NearestWord.of("prot", known)).contains("port");
    assertThat(NearestWord.of("colour", known)).isEmpty();
  }
}
