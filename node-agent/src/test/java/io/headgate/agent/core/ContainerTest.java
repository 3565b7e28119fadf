package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.agent.core.Container.PullPolicy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The valid names of images. The name becomes an argument of a program that runs as root.
class ContainerTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "docker.io/library/busybox",
        "nvcr.io/nvidia/pytorch:25.10-py3",
        "localhost/trainer:1",
        "registry.example:5000/team/train_it--all@sha256:"
            + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      })
  void namesAnImageOfARegistry(String image) {
    assertThat(new Container(image, PullPolicy.NEVER).image()).isEqualTo(image);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "busybox",
        "library/busybox",
        "dir:/etc",
        "oci-archive:/etc/shadow",
        "oci:5000/x",
        "docker://docker.io/x/y",
        "containers-storage:docker.io/x",
        "--privileged",
        "docker.io/-x",
        "Docker.io/x",
        "docker.io/X",
        "docker.io./x",
        "docker.io/x:--volume",
        "docker.io/../x",
        "docker.io/x y",
        "docker.io/x\nlocalhost/y",
        "docker.io/x;id",
        "docker.io/$(id)"
      })
  void isNeitherAnOptionNorAPathNorAGuess(String image) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Container(image, PullPolicy.NEVER))
        .withMessageContaining("image '" + image + "' must name its registry");
  }
}
