package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.container.ImageStores;
import io.headgate.kit.config.ConfigLoader;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The keys below `containers:`; what they may not be is in [AgentConfigTest].
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
}
