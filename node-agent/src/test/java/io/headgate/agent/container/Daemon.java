package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A daemon of an engine, that a test has started, and its client.
///
/// @param root of all that it makes
/// @param client program that calls it, unless it is away
record Daemon(Process process, Path root, Path client) {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Starts it, and waits until it answers.
  ///
  /// @param socket option and address of its client
  static Daemon start(Path root, ProcessBuilder command, Path program, String socket)
      throws IOException {
    Path log = root.resolve("log");
    Process process = command.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Path client =
        Programs.script(
            root.resolve("client"),
            "[ -e \"$0-away\" ] && exec %s %s.nowhere \"$@\"\nexec %s %s \"$@\"\n"
                .formatted(program, socket, program, socket));
    Daemon daemon = new Daemon(process, root, client);
    await().atMost(PATIENCE).until(() -> daemon.answers() || !process.isAlive());
    assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
    return daemon;
  }

  private boolean answers() throws IOException, InterruptedException {
    return new ProcessBuilder(client.toString(), "version")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  /// Makes the client behave as if the daemon were down, or ends that.
  void away(boolean away) throws IOException {
    Path mark = client.resolveSibling("client-away");
    if (away) {
      Files.createFile(mark);
    } else {
      Files.delete(mark);
    }
  }

  void stop() throws IOException {
    process.destroy();
    process.onExit().completeOnTimeout(process, PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    process.destroyForcibly().onExit().join();
    Programs.unmountBelow(root);
  }
}
