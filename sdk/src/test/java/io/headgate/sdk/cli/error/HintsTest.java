package io.headgate.sdk.cli.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.model.HeadgateException.Failure;
import io.headgate.sdk.model.StatusCode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HintsTest {
  @Test
  void namesVaultsWhereAVaultRefusesAnImage() {
    assertThat(Hints.next(imageNotAllowed(Map.of("vault", "rnd")), ""))
        .containsExactly("images and commands of your jobs: headgate vaults");
    assertThat(Hints.next(imageNotAllowed(Map.of("node", "gpu-1")), ""))
        .as("a machine does")
        .isEmpty();
  }

  private static Failure imageNotAllowed(Map<String, String> metadata) {
    return new Failure(
        StatusCode.FAILED_PRECONDITION,
        "IMAGE_NOT_ALLOWED",
        "",
        List.of(),
        metadata,
        null,
        "",
        null);
  }
}
