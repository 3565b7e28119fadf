package io.headgate.sdk.cli.frame;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/// A command's view of its process, so that a test can replace it.
///
/// @param width of the terminal behind standard output
public record CliEnvironment(
    Map<String, String> variables,
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean inTerminal,
    boolean outTerminal,
    boolean errTerminal,
    IntSupplier width,
    Clock clock,
    ZoneId zone) {
  private static final int USUAL_WIDTH = 80;

  /// The environment of this process.
  public static CliEnvironment ofProcess() {
    return new CliEnvironment(
        System.getenv(),
        new FileInputStream(FileDescriptor.in),
        new ProcessOutput(FileDescriptor.out),
        new ProcessOutput(FileDescriptor.err),
        isTerminal(0),
        isTerminal(1),
        isTerminal(2),
        () -> width(System.getenv()),
        Clock.systemUTC(),
        ZoneId.systemDefault());
  }

  /// The first failure to write to standard output; empty when all was written or the reader closed
  /// it.
  public Optional<String> outputFailure() {
    return out instanceof ProcessOutput output
        ? Optional.ofNullable(output.failure()).map(IOException::getMessage)
        : Optional.empty();
  }

  /// Java only tells whether all streams are terminals together. Reading the descriptor's link is
  /// also faster at start-up.
  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    }
  }

  private static int width(Map<String, String> variables) {
    String columns = variables.getOrDefault("COLUMNS", "");
    if (columns.matches("[1-9][0-9]{0,4}")) {
      return Integer.parseInt(columns);
    }
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(Path.of("/dev/tty").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      int space = size.indexOf(' ');
      int width = space < 0 ? 0 : Integer.parseInt(size.substring(space + 1).strip());
      return width > 0 ? width : USUAL_WIDTH;
    } catch (IOException | NumberFormatException e) {
      return USUAL_WIDTH;
    }
  }

  public String variable(String name) {
    return variables.getOrDefault(name, "");
  }
}
