package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.wire.LogReader;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/// The last lines that a failed job printed to standard error: they usually say why it failed. The
/// server gives them to those that may read the job's output.
final class LastWords {
  private static final int MOST_LINES = 5;
  private static final int MOST_BYTES = 1024;
  private static final long READ_BYTES = 16 << 10;

  private LastWords() {}

  /// Lines to print, with a heading; empty: there are none, or they cannot be read.
  static List<String> of(Invocation invocation, Job job) {
    if (job.state() != JobState.FAILED || job.attempts().isEmpty()) {
      return List.of();
    }
    try {
      List<String> lines = last(read(invocation, job.id()));
      return lines.isEmpty()
          ? List.of()
          : Stream.concat(
                  Stream.of(invocation.output().dim("its last lines of standard error:")),
                  lines.stream().map(line -> "  " + line))
              .toList();
    } catch (HeadgateException e) {
      return List.of();
    }
  }

  private static byte[] read(Invocation invocation, String id) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (LogReader logs = invocation.session().jobs().logs(id, 0, 0, false, READ_BYTES)) {
      for (LogPiece piece = logs.next(); piece != null; piece = logs.next()) {
        if (piece.error()) {
          text.writeBytes(piece.data());
        }
      }
    }
    return text.toByteArray();
  }

  /// The last lines of the text, without characters that could control a terminal.
  static List<String> last(byte[] text) {
    int from = Math.max(0, text.length - MOST_BYTES);
    while (from > 0 && from < text.length && (text[from] & 0xC0) == 0x80) {
      from++; // within a character
    }
    List<String> lines =
        new String(text, from, text.length - from, StandardCharsets.UTF_8)
            .lines()
            .map(PrintableText::line)
            .filter(line -> !line.isBlank())
            .toList();
    return lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size());
  }
}
