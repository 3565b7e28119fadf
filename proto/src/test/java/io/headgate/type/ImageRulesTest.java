package io.headgate.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The images that patterns match, and attempts to evade them.
class ImageRulesTest {
  private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);
  private static final String OTHER_DIGEST = "sha256:" + "f".repeat(64);

  private static boolean allows(String pattern, String image) {
    return ImagePattern.parse(pattern.replace("DIGEST", DIGEST))
        .matches(
            ImageReference.parse(
                image.replace("OTHER_DIGEST", OTHER_DIGEST).replace("DIGEST", DIGEST)));
  }

  @ParameterizedTest
  @CsvSource({
    "registry.example/team/train, registry.example/team/train",
    "registry.example/team/train, registry.example/team/train:1.2",
    "registry.example/team/train, registry.example/team/train@DIGEST",
    "registry.example/team/train:1.*, registry.example/team/train:1.2",
    "registry.example/team/train:latest, registry.example/team/train",
    "registry.example/team/train:*, registry.example/team/train",
    "registry.example/team/train@DIGEST, registry.example/team/train@DIGEST",
    "registry.example/team/train@DIGEST, registry.example/team/train:whatever@DIGEST",
    "registry.example/*/train, registry.example/team/train",
    "registry.example/team/train-*, registry.example/team/train-big",
    "registry.example/**, registry.example/train",
    "registry.example/**, registry.example/a/b/c",
    "registry.example/**/train:1, registry.example/a/b/train:1",
    "registry.example:5000/**, registry.example:5000/train",
    "docker.io/busybox, docker.io/library/busybox:latest",
    "docker.io/library/busybox, index.docker.io/busybox",
    "index.docker.io/*, docker.io/busybox",
    "docker.io/**, docker.io/team/train",
    "docker.io/**, docker.io/busybox",
    "registry.example/**/a/**/b, registry.example/x/a/a/y/b/b",
    "registry.example/a*b*c, registry.example/abcbc",
  })
  void areMeant(String pattern, String image) {
    assertThat(allows(pattern, image)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    // Another path, or the same one elsewhere.
    "registry.example/team/train, registry.example/team/train2",
    "registry.example/team/train, registry.example/team",
    "registry.example/team/train, registry.example.evil.example/team/train",
    "registry.example/team/train, evil.example/registry.example/team/train",
    "registry.example/team/train, registry.example:5000/team/train",
    "registry.example:5000/**, registry.example/train",
    "registry.example:5000/**, registry.example:50000/train",
    "registry.example/**/a/**/b, registry.example/x/a/b",
    "registry.example/a*b*c, registry.example/abcb",
    "registry.example/team/v1.2, registry.example/team/v1-2",
    "registry.example/*, registry.example/team/train",
    "registry.example/team/**, registry.example/team",
    "registry.example/team/**, registry.example/teams/train",
    // A tag beside a digest decides nothing.
    "registry.example/train:1.2, registry.example/train:1.2@DIGEST",
    "registry.example/train:*, registry.example/train:1.2@DIGEST",
    "registry.example/train:*, registry.example/train@DIGEST",
    "registry.example/train:1.2, registry.example/train",
    "registry.example/train:1.2, registry.example/train:1-2",
    "registry.example/train:1.2, registry.example/train:1.20",
    "registry.example/train:v1, registry.example/train:V1",
    "registry.example/train@DIGEST, registry.example/train@OTHER_DIGEST",
    "registry.example/train@DIGEST, registry.example/train:1.2",
    // Docker's own images, and what looks like them.
    "docker.io/*, docker.io/team/train",
    "docker.io/library/**, docker.io/team/train",
    "docker.io/busybox, registry.example/library/busybox",
    "docker.io/busybox, registry-1.docker.io/library/busybox",
    "docker.io/busybox, docker.io/library/library/busybox",
  })
  void areNot(String pattern, String image) {
    assertThat(allows(pattern, image)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "**",
        "busybox",
        "library/*",
        "*/team/train",
        "*.example/train",
        "registry.*/train",
        "registry.example*/train",
        "Registry.example/train",
        "registry.example/Team",
        "registry.example/",
        "registry.example//train",
        "registry.example/../train",
        "registry.example/team**",
        "registry.example/***",
        "registry.example/train:1@DIGEST",
        "registry.example/train@*",
        "registry.example/train@sha256:*"
      })
  void isNotUnderstood(String pattern) {
    String text = pattern.replace("DIGEST", DIGEST);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ImagePattern.parse(text))
        .withMessageStartingWith("image pattern '" + text + "' ");
  }

  @Test
  void letAllRunUnlessTheySayOtherwise() {
    assertThat(ImageRules.NONE.problem("docker.io/busybox")).isEmpty();
  }

  @Test
  void nameWhatMayRunInstead() {
    ImageRules rules =
        new ImageRules(Optional.of(List.of(ImagePattern.parse("registry.example/team/*"))), false);
    assertThat(rules.problem("registry.example/team/train")).isEmpty();
    assertThat(rules.problem("docker.io/busybox"))
        .contains(
            "image docker.io/library/busybox:latest may not run on this node, which allows"
                + " registry.example/team/* (containers.images); use one of these, or ask its"
                + " operator");
  }

  @Test
  void canDemandADigest() {
    ImageRules rules =
        new ImageRules(Optional.of(List.of(ImagePattern.parse("registry.example/**"))), true);
    assertThat(rules.problem("registry.example/train:1@" + DIGEST)).isEmpty();
    assertThat(rules.problem("docker.io/busybox@" + DIGEST).orElseThrow())
        .contains("allows registry.example/**");
    assertThat(rules.problem("registry.example/train:1"))
        .contains(
            "image registry.example/train:1 may not run on this node, which takes images by digest"
                + " only (containers.require-digest); name it registry.example/train@sha256:…");
  }
}
