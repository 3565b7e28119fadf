package io.headgate.deploy.simulate;

import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// Reads the files of a trace.
final class TraceFiles {
  private static final long MOST_BYTES = 256L << 20;

  /// Turns the lines of a file into records.
  interface Parser<T> {
    T parse(List<String> lines) throws TraceException;
  }

  private TraceFiles() {}

  /// @throws UsageException when the file cannot be read or used
  static <T> T read(Path file, Parser<T> parser) throws IOException {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new UsageException(
            "%s has more than %d MiB".formatted(file, MOST_BYTES >> 20),
            "BAD_TRACE",
            "give a CSV file of a trace");
      }
      return parser.parse(Files.readAllLines(file));
    } catch (TraceException e) {
      throw new UsageException(file + ", " + e.getMessage(), "BAD_TRACE", "correct the line");
    } catch (NoSuchFileException e) {
      throw new UsageException("no file " + file, "NO_SUCH_FILE", "give a CSV file of the trace");
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file", "BAD_TRACE", "give a CSV file");
    }
  }
}
