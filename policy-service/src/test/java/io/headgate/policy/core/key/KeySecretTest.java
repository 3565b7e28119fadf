package io.headgate.policy.core.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeySecretTest {
  private static final String ID = "0123456789abcdef";
  private static final String LETTERS = "A".repeat(43);

  @ParameterizedTest
  @EnumSource
  void readsWhatItWrites(KeyKind kind) {
    for (int seed = 0; seed < 200; seed++) {
      KeySecret secret = generate(kind, seed);
      KeySecret read = KeySecret.parse(secret.text()).orElseThrow();
      assertThat(read.kind()).isEqualTo(kind);
      assertThat(read.id()).isEqualTo(secret.id());
      assertThat(read.text()).isEqualTo(secret.text());
    }
  }

  @Test
  void saysNothingOfItselfByAccident() {
    KeySecret secret = generate(KeyKind.OPERATOR, 1);
    String letters = secret.text().substring(secret.text().length() - 43);
    assertThat(secret.toString()).contains(secret.id().value()).doesNotContain(letters);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hg",
        "hg_user_" + ID,
        "xx_user_" + ID + "_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "hg_root_" + ID + "_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "hg_user_0123456789ABCDEF_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "hg_user_" + ID + "_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "hg_user_" + ID + "_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "hg_user_" + ID + "_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        " hg_user_" + ID + "_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      })
  void refusesEveryOtherForm(String text) {
    assertThat(KeySecret.parse(text)).isEmpty();
  }

  @Test
  void theLettersMayHoldTheSeparator() {
    String text = "hg_user_" + ID + "_" + "_" + LETTERS.substring(1);
    assertThat(KeySecret.parse(text)).isPresent();
  }

  private static KeySecret generate(KeyKind kind, long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    byte[] id = new byte[KeyId.RANDOM_BYTES];
    byte[] letters = new byte[KeySecret.RANDOM_BYTES];
    random.nextBytes(id);
    random.nextBytes(letters);
    return KeySecret.of(kind, KeyId.ofRandom(id), letters);
  }
}
