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
  void aSecondUpSaysWhichOfItsFlagsChangeNothing(@TempDir Path directory) throws Exception {
    try (InstanceLock first = InstanceLock.tryTake(directory).orElseThrow()) {
      first.say("running at 127.0.0.1:7400");
      List<String> up = List.of("up", "--data", directory.toString());
      assertThat(PipedCli.run("", up).exitCode()).isZero();

      List<String> flags = new ArrayList<>(up);
      flags.addAll(List.of("--nodes", "cpu", "--port", "7500"));
      PipedCli.Result second = PipedCli.run("", flags);

      assertThat(second.out()).contains("running at 127.0.0.1:7400");
      assertThat(second.err()).contains("--nodes, --port cannot change what runs already");
      assertThat(second.exitCode()).isEqualTo(1);
    }
  }
}
