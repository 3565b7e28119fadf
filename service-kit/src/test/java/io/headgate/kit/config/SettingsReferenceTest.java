package io.headgate.kit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.headgate.kit.config.SettingsReference.Row;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SettingsReferenceTest {
  enum Tone {
    LOUD,
    VERY_SOFT
  }

  record Door(
      @Setting(meaning = "Lock of the door.") Path lock,
      @Setting(meaning = "Bell of the door.") @Default("very-soft") Tone bell) {}

  record Rest(
      @Setting(meaning = "Length of a rest.", bound = "above 0") Duration time,
      @Setting(meaning = "Places of rest.") List<String> places) {
    static final Rest DEFAULTS = new Rest(Duration.ofSeconds(90), List.of("bench", "tree"));
  }

  record House(
      @Setting(meaning = "Address of the house.") URI address,
      @Setting(meaning = "Key of the house.") Secret key,
      @Setting(meaning = "Size of the house.", absent = "that of its ground")
          Optional<ByteSize> size,
      @Setting(meaning = "The front door.") Optional<Door> door,
      @Setting(meaning = "The rest.") Rest rest) {}

  record Silent(@Setting(meaning = "Its name.") String name, int age) {}

  private static final SettingsReference HOUSE = SettingsReference.of(House.class);

  @Test
  void hasTheKeysOfEveryRecordInOrder() {
    assertThat(HOUSE.sections())
        .extracting(SettingsReference.Section::path)
        .containsExactly("", "door", "rest");
    assertThat(row("address"))
        .isEqualTo(
            new Row("address", "HEADGATE_ADDRESS", "URL", "required", "", "Address of the house."));
    assertThat(row("rest.time"))
        .isEqualTo(
            new Row(
                "rest.time",
                "HEADGATE_REST_TIME",
                "duration",
                "1m30s",
                "above 0",
                "Length of a rest."));
  }

  @Test
  void showsDefaultsAsAFileWritesThem() {
    assertThat(row("size").defaultText()).isEqualTo("that of its ground");
    assertThat(row("rest.places").defaultText()).isEqualTo("bench, tree");
    assertThat(row("rest.places").type()).isEqualTo("list of text");
    assertThat(row("door.bell").defaultText()).isEqualTo("very-soft");
    assertThat(row("door.bell").bound()).isEqualTo("loud, very-soft");
  }

  @Test
  void requiresKeysOfAnOptionalRecordOnlyWithTheRecord() {
    assertThat(row("door.lock").defaultText()).isEqualTo("required if `door` is given");
    assertThat(HOUSE.required())
        .isEqualTo(
            "  %-34s %s%n".formatted("address", "Address of the house.")
                + "  %-34s %s%n".formatted("key", "Key of the house."));
  }

  @Test
  void refusesAKeyWithoutADescription() {
    assertThatIllegalStateException()
        .isThrownBy(() -> SettingsReference.of(Silent.class))
        .withMessageContaining("age of")
        .withMessageContaining("Silent");
    assertThatIllegalStateException()
        .isThrownBy(() -> ConfigLoader.parse(Silent.class, "x.yaml", "name: a\nage: 3", Map.of()))
        .withMessageContaining("age of");
  }

  private static Row row(String key) {
    return HOUSE.sections().stream()
        .flatMap(section -> section.rows().stream())
        .filter(row -> row.key().equals(key))
        .findFirst()
        .orElseThrow();
  }
}
