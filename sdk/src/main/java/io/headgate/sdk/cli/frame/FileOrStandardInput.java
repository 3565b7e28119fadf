package io.headgate.sdk.cli.frame;

import io.headgate.sdk.config.ConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Reads the argument of `-f`: a file, or standard input for `-`.
///
/// @param file reads a file
/// @param text reads text from elsewhere, with its name for messages
public record FileOrStandardInput<T>(FromFile<T> file, FromText<T> text) {
  /// Stands for standard input in place of a file.
  public static final String STANDARD_INPUT = "-";

  /// Reads a file.
  public interface FromFile<T> {
    T read(Path file) throws IOException, ConfigurationException;
  }

  /// Reads text.
  public interface FromText<T> {
    T read(String name, String text) throws ConfigurationException;
  }

  /// Reads the whole input.
  ///
  /// @throws ConfigurationException with every mistake in it
  /// @throws IOException when it cannot be read
  public T read(Invocation invocation, Path path) throws IOException, ConfigurationException {
    return path.toString().equals(STANDARD_INPUT)
        ? text.read(
            "standard-input",
            new String(invocation.environment().in().readAllBytes(), StandardCharsets.UTF_8))
        : file.read(path);
  }
}
