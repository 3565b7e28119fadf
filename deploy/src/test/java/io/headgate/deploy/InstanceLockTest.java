package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstanceLockTest {
  @Test
  void aSecondHolderIsRefusedAndFindsTheNoteOfTheFirst(@TempDir Path directory) throws Exception {
    try (InstanceLock first = InstanceLock.tryTake(directory).orElseThrow()) {
      assertThat(InstanceLock.tryTake(directory)).isEmpty();
      assertThat(InstanceLock.noteOfHolder(directory)).isEmpty();

      first.say("running at 127.0.0.1:7400");

      assertThat(InstanceLock.noteOfHolder(directory)).contains("running at 127.0.0.1:7400");
    }
    Optional<InstanceLock> next = InstanceLock.tryTake(directory);
    assertThat(next).isPresent();
    assertThat(InstanceLock.noteOfHolder(directory)).isEmpty();
    next.orElseThrow().close();
  }

  @Test
  void aSecondUpShowsWhatRunsAndSaysWhichOfItsFlagsChangeNothing(@TempDir Path directory)
      throws Exception {
    try (InstanceLock first = InstanceLock.tryTake(directory).orElseThrow()) {
      first.say("running at 127.0.0.1:7400");
      assertThat(up(directory).exitCode()).isZero();
      PipedCli.Result second = up(directory, "--nodes", "cpu", "--port", "7500");

      assertThat(second.out()).contains("running at 127.0.0.1:7400");
      assertThat(second.err()).contains("--nodes, --port cannot change a running installation");
      assertThat(second.exitCode()).isZero();
    }
  }

  @Test
  void aSecondUpFailsWhenItWasToDoSomething(@TempDir Path directory) throws Exception {
    try (InstanceLock _ = InstanceLock.tryTake(directory).orElseThrow()) {
      PipedCli.Result second = up(directory, "--demo");

      assertThat(second.err())
          .contains("--demo cannot change a running installation", "headgate apply -f FILE");
      assertThat(second.exitCode()).isEqualTo(1);
    }
  }

  private static PipedCli.Result up(Path directory, String... flags) throws Exception {
    List<String> words = new ArrayList<>(List.of("up", "--data", directory.toString()));
    words.addAll(List.of(flags));
    return PipedCli.run("", words);
  }
}
