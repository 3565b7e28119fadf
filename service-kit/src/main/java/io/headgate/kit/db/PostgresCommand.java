package io.headgate.kit.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs PostgreSQL's programs. They refuse to run as root, so root runs them in a user namespace in
/// which an ordinary user owns the same files.
final class PostgresCommand {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int MAX_OUTPUT = 1 << 16;

  /// The output and exit status of a program.
  record Outcome(int status, String output) {
    boolean succeeded() {
      return status == 0;
    }
  }

  private final Path home;

  PostgresCommand(Path home) {
    this.home = home;
  }

  Outcome run(String program, List<String> arguments) {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("unshare", "--user"));
    }
    command.add(home.resolve("bin").resolve(program).toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // The caller's own client settings must not reach the server.
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      String output;
      try (InputStream stream = process.getInputStream()) {
        output = new String(stream.readNBytes(MAX_OUTPUT), StandardCharsets.UTF_8).strip();
      }
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException(program + " did not end within " + LIMIT);
      }
      return explained(process.exitValue(), output);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + program, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + program + " ran", e);
    }
  }

  private static Outcome explained(int status, String output) {
    boolean noNamespace = isRoot() && status != 0 && output.contains("unshare failed");
    return noNamespace
        ? new Outcome(
            status,
            output
                + "\nPostgreSQL does not run as root, and this machine allows no user namespaces:"
                + " run as an ordinary user")
        : new Outcome(status, output);
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }
}
