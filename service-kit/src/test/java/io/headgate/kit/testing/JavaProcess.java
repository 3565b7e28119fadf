package io.headgate.kit.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A main class as a real process with this test's class path, killed when closed if it still runs.
public final class JavaProcess implements AutoCloseable {
  private static final long BOUND_SECONDS = 180;

  private final Process process;
  private final BufferedReader lines;
  private final StringBuilder said = new StringBuilder();

  private JavaProcess(Process process) {
    this.process = process;
    this.lines = process.inputReader(StandardCharsets.UTF_8);
  }

  /// How it ended, and all that it said on both outputs.
  public record Ended(int status, String said) {}

  /// Starts `main`; it inherits no `HEADGATE_` variable but gets those of `environment`.
  public static JavaProcess start(
      Class<?> main, List<String> arguments, Map<String, String> environment) {
    List<String> command = TestJvm.command();
    command.addAll(
        List.of("-Xmx512m", "-classpath", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    builder.environment().putAll(environment);
    try {
      return new JavaProcess(builder.start());
    } catch (IOException e) {
      throw new AssertionError("cannot start " + main, e);
    }
  }

  /// Runs `main` to its end.
  public static Ended run(Class<?> main, List<String> arguments, Map<String, String> environment) {
    try (JavaProcess process = start(main, arguments, environment)) {
      return process.end();
    }
  }

  public Process process() {
    return process;
  }

  /// Waits until the output matches. Later output is read and dropped, so that a full pipe does not
  /// block the process.
  public MatchResult awaitSaid(Pattern pattern) {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.append(line).append('\n');
        Matcher found = pattern.matcher(line);
        if (found.find()) {
          Thread.ofVirtual().start(this::drop);
          return found.toMatchResult();
        }
      }
    } catch (IOException e) {
      throw new AssertionError("cannot read what the process says", e);
    }
    throw new AssertionError("ended without saying " + pattern + ":\n" + said);
  }

  private void drop() {
    try {
      while (lines.readLine() != null) {
        // The output is not needed.
      }
    } catch (IOException e) {
      // Its output was closed under it, when the process ended.
    }
  }

  /// Asks it to stop by SIGTERM; its exit status.
  public int stop() {
    process.destroy();
    return awaitEnd();
  }

  /// Waits for its own end.
  public Ended end() {
    lines.lines().forEach(line -> said.append(line).append('\n'));
    return new Ended(awaitEnd(), said.toString());
  }

  private int awaitEnd() {
    try {
      if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("does not end:\n" + said);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    // Nothing of it may still write where a test cleans up.
    awaitEnd();
  }
}
