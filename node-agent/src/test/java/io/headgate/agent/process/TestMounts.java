package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Mounts that a test makes on its machine, as root. Gone when it ends.
public final class TestMounts implements AutoCloseable {
  private final Deque<String> places = new ArrayDeque<>();

  /// Runs `mount` with these words, of which the last is the place.
  public void mount(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("mount"));
    command.addAll(List.of(words));
    run(command);
    if (!places.contains(words[words.length - 1])) {
      add(words[words.length - 1]);
    }
  }

  /// Takes over a mount that the test made otherwise.
  void add(String place) {
    places.push(place);
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
  }

  @Override
  public void close() throws IOException {
    try {
      while (!places.isEmpty()) {
        run(List.of("umount", "--lazy", places.pop()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted with mounts left: " + places, e);
    }
  }
}
