package io.headgate.deploy.simulate;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Compares the lines of a simulation with those of a file; the first difference ends the command.
final class Expectation {
  private final Path file;
  private final BufferedReader expected;
  private int number;

  Expectation(Path file, BufferedReader expected) {
    this.file = file;
    this.expected = expected;
  }

  int lines() {
    return number;
  }

  /// @throws CliFailure when the file has another line here
  void accept(String line) {
    String wanted = next();
    if (!line.equals(wanted)) {
      throw differs(wanted, line);
    }
  }

  /// @throws CliFailure when the file has more lines
  void end() {
    String wanted = next();
    if (wanted != null) {
      throw differs(wanted, null);
    }
  }

  private @Nullable String next() {
    number++;
    try {
      return expected.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CliFailure differs(@Nullable String wanted, @Nullable String line) {
    List<String> sides = new ArrayList<>();
    sides.add("expected  " + (wanted == null ? "no more lines" : wanted));
    sides.add("printed   " + (line == null ? "no more lines" : line));
    ErrorFrame frame =
        ErrorFrame.usage("the output is not as expected", "NOT_AS_EXPECTED", sides)
            .where("--> " + file + ":" + number);
    return new CliFailure(List.of(frame), ExitCode.REFUSED, null);
  }
}
