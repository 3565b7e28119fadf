package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.container.Containers;
import io.headgate.agent.container.FakePodman;
import io.headgate.agent.container.ImageStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerSupplyTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path root;

  @Test
  void noticesAnEngineThatComesAndOneThatGoesAndComesBack() throws Exception {
    Path program = FakePodman.in(root).program();
    Path away = program.resolveSibling("away");
    Files.move(program, away);
    Containers.Settings settings =
        new Containers.Settings(
            new ImageStores(
                ImageStores.Wanted.PODMAN, program, program, program, root, Duration.ofMinutes(1)),
            root.resolve("cdi"),
            List.of());
    try (ContainerSupply supply =
        new ContainerSupply(() -> Containers.open(settings, "n"))
            .lookingEvery(Duration.ofMillis(10))) {
      assertThat(supply.look()).hasValueSatisfying(why -> assertThat(why).contains("no program"));
      assertThat(supply.known()).isEmpty();

      Files.move(away, program);
      await().atMost(PATIENCE).until(supply::areThere);
      Containers found = supply.demand();

      Files.move(program, away);
      assertThat(supply.look()).isPresent();
      assertThatThrownBy(supply::demand)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("this node runs no jobs with an image: there is no program");
      assertThat(supply.known()).as("it keeps what was made by it").containsSame(found);

      Files.move(away, program);
      assertThat(supply.demand()).isSameAs(found);
    }
  }
}
