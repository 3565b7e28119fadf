package io.headgate.agent.runtime.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.Fixtures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointRootsTest {
  @TempDir Path directory;

  private static Assignment stored() {
    return Fixtures.assignment("train");
  }

  @Test
  void makesNothingBelowAMountThatVanishedAfterTheCheck() throws Exception {
    Path root = Files.createDirectories(directory.resolve("mnt/checkpoints"));
    CheckpointRoots roots = new CheckpointRoots(directory.resolve("own"), Map.of("shared", root));
    assertThat(roots.problem(stored())).isEmpty();

    Files.delete(root);
    assertThatExceptionOfType(CheckpointRoots.StorageException.class)
        .isThrownBy(() -> roots.make(stored()))
        .withMessageStartingWith("storage shared does not work here: ")
        .withMessageContaining(root.toString());
    assertThat(directory.resolve("mnt")).isEmptyDirectory();

    Files.createDirectory(root);
    Path made = roots.make(stored());
    assertThat(made).isEqualTo(roots.directory(stored()).orElseThrow()).isEmptyDirectory();
    assertThat(roots.make(stored())).as("a later attempt").isEqualTo(made);
  }

  @Test
  void makesItsOwnRootBeforeTheFirstJob() throws Exception {
    CheckpointRoots roots = new CheckpointRoots(directory.resolve("a/own"), Map.of());
    roots.makeOwn();
    assertThat(directory.resolve("a/own")).isEmptyDirectory();
    assertThat(roots.all()).containsExactly(directory.resolve("a/own"));
  }

  @Test
  void asksNoFileSystemForTheRoots() {
    CheckpointRoots roots =
        new CheckpointRoots(
            directory.resolve("own"), Map.of("a", Path.of("/no/such"), "b", Path.of("/no/../x")));
    assertThat(roots.all())
        .containsExactly(directory.resolve("own"), Path.of("/no/such"), Path.of("/x"));
  }
}
