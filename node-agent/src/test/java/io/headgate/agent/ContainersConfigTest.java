package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.container.ImageStores;
import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The keys below `containers:`.
class ContainersConfigTest {
  private static ContainersConfig parse(String yaml) {
    return ConfigLoader.parse(ContainersConfig.class, "agent.yaml", yaml, Map.of());
  }

  @Test
  void letsAllImagesRunByWhateverEngineThereIs() {
    ContainersConfig config = parse("");
    assertThat(config).isEqualTo(ContainersConfig.DEFAULTS);
    assertThat(config.store()).isEqualTo(ImageStores.Wanted.AUTO);
    assertThat(config.settings().rules().problem("docker.io/busybox")).isEmpty();
  }

  @Test
  void saysWhichEngineAndWhichImages() {
    ContainersConfig config =
        parse("{store: containerd, images: ['registry.example/**'], require-digest: true}");
    assertThat(config.store()).isEqualTo(ImageStores.Wanted.CONTAINERD);
    assertThat(config.settings().rules().problem("docker.io/busybox@sha256:" + "0".repeat(64)))
        .isPresent();
    assertThat(config.settings().rules().problem("registry.example/train:1")).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "images: []                  | containers.images: [] would let no image run",
        "images: ['*']               | containers.images: image pattern '*' is not of the form",
        "mounts: /run/a:b            | containers.mounts: '/run/a:b' must have no space",
        "docker: docker              | containers: 'docker' must be an absolute path",
        "store: cri-o                | store"
      })
  void refuses(String yaml, String problem) {
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> parse(yaml))
        .withMessageContaining(problem);
  }
}
