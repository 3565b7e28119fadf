package io.headgate.agent.runtime.output;

import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.process.AttemptLogs.Piece;
import io.headgate.agent.process.AttemptLogs.Stream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;

/// Reads the kept output of an attempt in lines, across its files.
///
/// @param ended whether the attempt prints nothing more
record OutputReader(AttemptLogs logs, boolean ended) {
  /// The most bytes that are read at once. It is more than one line, so each read gets further.
  static final int MOST_BYTES = 64 * 1024;

  /// Output that follows an offset.
  ///
  /// @param dropped bytes before it that are not kept any more
  record Part(OutputLines output, long dropped) {}

  /// The output after the offset. Its end is the offset if there is no complete line yet.
  Part read(Stream stream, long offset) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long begin = offset;
    boolean isLast = false;
    while (bytes.size() < MOST_BYTES) {
      long at = begin + bytes.size();
      Optional<Piece> piece = logs.read(stream, at, MOST_BYTES - bytes.size(), ended);
      if (piece.isEmpty()) {
        isLast = ended;
        break;
      }
      if (piece.get().offset() > at) {
        if (bytes.size() > 0) {
          // The file of the rest is gone, so the rest of the line does not come.
          isLast = true;
          break;
        }
        begin = piece.get().offset();
      }
      byte[] more = new byte[piece.get().bytes().remaining()];
      piece.get().bytes().get(more);
      bytes.writeBytes(more);
    }
    return new Part(OutputLines.cut(begin, bytes.toByteArray(), isLast), begin - offset);
  }
}
