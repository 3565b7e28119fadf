package io.headgate.agent.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.container.Containers;
import io.headgate.agent.container.FakePodman;
import io.headgate.agent.container.ImageStores;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerSupplyTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path root;
  private FakePodman podman;
  private Path program;
  private Path away;

  @BeforeEach
  void noEngineIsThere() throws IOException {
    podman = FakePodman.in(root);
    program = podman.program();
    away = program.resolveSibling("away");
    Files.move(program, away);
  }

  private ContainerSupply supply() {
    Containers.Settings settings =
        new Containers.Settings(
            new ImageStores(
                ImageStores.Wanted.PODMAN, program, program, program, root, Duration.ofMinutes(1)),
            root.resolve("cdi"),
            List.of());
    return new ContainerSupply(() -> Containers.open(settings, "n"));
  }

  private static AttemptKey attempt(String job) {
    return new AttemptKey(new JobName("acme", job), "", 1, 0);
  }

  private static String copyOf(AttemptKey attempt) {
    return "headgate.n." + attempt.directoryName();
  }

  @Test
  void noticesAnEngineThatComesAndOneThatGoesAndComesBack() throws Exception {
    try (ContainerSupply supply = supply().lookingEvery(Duration.ofMillis(10))) {
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

  @Test
  void clearsUpAfterAnEarlierAgentWhenItsEngineComesLate() throws Exception {
    AttemptKey lives = attempt("lives");
    AttemptKey ends = attempt("ends");
    for (AttemptKey each : List.of(lives, ends, attempt("lost"))) {
      podman.leave(copyOf(each));
    }
    try (ContainerSupply supply = supply()) {
      assertThat(supply.look()).isPresent();
      supply.recover(List.of(lives, ends));
      supply.remove(ends);

      Files.move(away, program);
      var _ = supply.demand();
      assertThat(podman.containers()).containsExactly(copyOf(lives));
      supply.remove(lives);
      assertThat(podman.containers()).isEmpty();
    }
  }
}
