package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.TestCli.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Compares the output of a command with a reviewed file. `-Dgolden=write` writes the files; review
/// their diff before the commit.
final class Golden {
  private static final Path DIRECTORY = Path.of("src/test/resources/golden");

  private Golden() {}

  static void check(String name, Result result) {
    String actual = text(result);
    Path file = DIRECTORY.resolve(name + ".txt");
    try {
      if ("write".equals(System.getProperty("golden"))) {
        Files.createDirectories(DIRECTORY);
        Files.writeString(file, actual);
      }
      assertThat(actual).as(name).isEqualTo(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Makes colours readable, and replaces values that differ between runs.
  private static String text(Result result) {
    String text = result.out();
    if (!result.err().isEmpty()) {
      text += "--- stderr\n" + result.err();
    }
    return (text + "--- exit " + result.exitCode() + "\n")
        .replace("\u001b", "<ESC>")
        .replaceAll("127\\.0\\.0\\.1:[0-9]+", "127.0.0.1:PORT")
        .replaceAll("\"traceId\":\"[0-9a-f]{32}\"", "\"traceId\":\"TRACE\"")
        .replaceAll("(in its log:|trace) [0-9a-f]{32}", "$1 TRACE")
        .replaceAll("in [0-9]+ ms", "in N ms")
        .replaceAll("--request-id [0-9a-f-]{36}", "--request-id UUID")
        .replaceAll("/[^ ]*/\\.config/", "HOME/.config/");
  }
}
