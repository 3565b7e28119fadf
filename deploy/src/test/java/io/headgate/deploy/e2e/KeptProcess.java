package io.headgate.deploy.e2e;

import io.headgate.kit.testing.TestJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// A process of the product that is started again whenever it ends, as a service manager does.
final class KeptProcess {
  private final Class<?> program;
  private final Map<String, String> environment;
  private final Path log;
  private Process process;
  private boolean closed; // Guarded by this.

  /// @param environment the `HEADGATE_` variables; those of this process are not inherited
  KeptProcess(Class<?> program, Map<String, String> environment, Path log) throws IOException {
    this.program = program;
    this.environment = Map.copyOf(environment);
    this.log = log;
    process = start();
  }

  private Process start() throws IOException {
    ProcessBuilder builder = builder(program, environment, List.of());
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    Process started = builder.start();
    var _ = started.onExit().thenAccept(_ -> startAgain());
    return started;
  }

  /// How a program starts with these variables and words.
  static ProcessBuilder builder(
      Class<?> program, Map<String, String> environment, List<String> words) {
    List<String> command = TestJvm.command();
    command.addAll(
        List.of("-Xmx512m", "-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    builder.environment().putAll(environment);
    return builder;
  }

  private synchronized void startAgain() {
    if (!closed) {
      try {
        process = start();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /// The current process; it may just have ended.
  synchronized ProcessHandle handle() {
    return process.toHandle();
  }

  /// Ends the process for good.
  void end() throws InterruptedException {
    Process last;
    synchronized (this) {
      closed = true;
      last = process;
    }
    last.destroyForcibly().waitFor();
  }
}
