package io.headgate.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameRuleTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "a1", "ai-dev", "a--b", "x234567890123456789012345678901234567890"})
  void admits(String name) {
    assertThat(NameRule.isValid(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1a", "-a", "a-", "A", "a_b", "a.b", "ä", "a b", "a/b", "a\n", "-"})
  void refuses(String name) {
    assertThat(NameRule.isValid(name)).isFalse();
  }

  @Test
  void admitsSixtyThreeLettersAndNoMore() {
    assertThat(NameRule.isValid("a".repeat(63))).isTrue();
    assertThat(NameRule.isValid("a".repeat(64))).isFalse();
    assertThatThrownBy(() -> NameRule.require("a".repeat(64))).hasMessageContaining("not an id");
  }
}
