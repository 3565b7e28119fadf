package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.failure.RefusalException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PageTokensTest {
  private static final List<String> QUERY = List.of("ListPools", "acme", "DRAFT");

  private final PageTokens tokens = new PageTokens(key(1));

  @Test
  void continuesTheListItCameFrom() {
    assertThat(tokens.read(QUERY, tokens.issue(QUERY, "half"))).contains("half");
    assertThat(tokens.read(QUERY, tokens.issue(QUERY, ""))).contains("");
    assertThat(tokens.read(QUERY, "")).isEmpty();
  }

  @Test
  void continuesNoOtherList() {
    String token = tokens.issue(QUERY, "half");
    refuses(List.of("ListPools", "other", "DRAFT"), token);
    refuses(List.of("ListProfiles", "acme", "DRAFT"), token);
    refuses(List.of("ListPools", "acmeDRAFT"), token);
    refuses(List.of("ListPools", "acme", "DRAFT", ""), token);
    refuses(List.of("ListPoolsacme", "DRAFT"), token);
  }

  @Test
  void acceptsNoTokenOfAnotherKey() {
    assertThatThrownBy(() -> tokens.read(QUERY, new PageTokens(key(2)).issue(QUERY, "half")))
        .isInstanceOf(RefusalException.class);
  }

  @Test
  void refusesWhatWasChangedOrMadeUp() {
    byte[] token = Base64.getUrlDecoder().decode(tokens.issue(QUERY, "half"));
    for (int bit = 0; bit < token.length * 8; bit++) {
      byte[] changed = token.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      refuses(QUERY, Base64.getUrlEncoder().encodeToString(changed));
    }
    List<String> inventions = new ArrayList<>(List.of("a", "?", "half", "AAAA", "💥", "=", " "));
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      inventions.add(Base64.getUrlEncoder().encodeToString(bytes) + "A");
    }
    inventions.forEach(invention -> refuses(QUERY, invention));
  }

  private void refuses(List<String> query, String token) {
    assertThatThrownBy(() -> tokens.read(query, token))
        .isInstanceOfSatisfying(
            RefusalException.class,
            refused -> {
              assertThat(refused.refusal().reason()).isEqualTo("INVALID_PAGE_TOKEN");
              assertThat(refused.refusal().violations().getFirst().field()).isEqualTo("page_token");
            });
  }

  private static byte[] key(int fill) {
    byte[] key = new byte[PageTokens.KEY_LENGTH];
    java.util.Arrays.fill(key, (byte) fill);
    return key;
  }
}
