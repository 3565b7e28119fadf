package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.wire.JobCalls;
import io.headgate.sdk.wire.LogReader;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/// The position of the last lines of an attempt's output. The server counts bytes and the user
/// counts lines. So the search reads the end of the output, four times as much at each step, until
/// it has enough lines.
///
/// @param attempt number of the attempt; 0: the current or last
/// @param out offset in standard output
/// @param err offset in standard error
/// @param bytes length of the end that contains all these lines; 0: everything
record LogTail(int attempt, long out, long err, long bytes) {
  /// All output that is kept.
  static final LogTail ALL = new LogTail(0, 0, 0, 0);

  private static final long FIRST_BYTES = 64 << 10;
  private static final long MOST_BYTES = 1L << 30;

  /// Allowance for output that the job prints between the search and the read.
  private static final long MEANWHILE_BYTES = 1 << 20;

  /// Finds the last `lines` of each of the two streams.
  static LogTail find(JobCalls jobs, String job, int attempt, int worker, int lines) {
    long keptFrom = -1;
    for (long bytes = FIRST_BYTES; ; bytes *= 4) {
      Ends ends = Ends.read(jobs, job, attempt, worker, lines, bytes);
      // When a longer read starts at the same offset, there is no earlier output.
      boolean isAll = ends.out.first + ends.err.first == keptFrom;
      keptFrom = ends.out.first + ends.err.first;
      if (isAll || bytes >= MOST_BYTES || (ends.out.isEnough() && ends.err.isEnough())) {
        return new LogTail(
            ends.attempt, ends.out.begin(isAll), ends.err.begin(isAll), bytes + MEANWHILE_BYTES);
      }
    }
  }

  /// The part of a piece that lies behind the position.
  Optional<LogPiece> part(LogPiece piece) {
    long begin = piece.error() ? err : out;
    long skipped = begin - piece.offset();
    if (skipped <= 0) {
      return Optional.of(piece);
    }
    byte[] data = piece.data();
    return skipped >= data.length
        ? Optional.empty()
        : Optional.of(
            new LogPiece(
                piece.error(),
                Arrays.copyOfRange(data, (int) skipped, data.length),
                piece.attempt(),
                begin,
                false));
  }

  private static final class Ends {
    private final End out;
    private final End err;
    private int attempt;

    private Ends(int lines, int attempt) {
      this.out = new End(lines);
      this.err = new End(lines);
      this.attempt = attempt;
    }

    static Ends read(JobCalls jobs, String job, int attempt, int worker, int lines, long bytes) {
      Ends ends = new Ends(lines, attempt);
      try (LogReader logs = jobs.logs(job, attempt, worker, false, bytes)) {
        for (LogPiece piece = logs.next(); piece != null; piece = logs.next()) {
          ends.attempt = piece.attempt();
          (piece.error() ? ends.err : ends.out).add(piece);
        }
      }
      return ends;
    }
  }

  /// The offsets at which the last lines of one stream begin.
  private static final class End {
    private final int lines;
    private final Deque<Long> begins = new ArrayDeque<>();
    private long first = -1;
    private boolean truncated;
    private boolean atLineBegin = true;

    private End(int lines) {
      this.lines = lines;
    }

    void add(LogPiece piece) {
      if (first < 0) {
        first = piece.offset();
        // Log rotation has deleted the bytes before a gap, so asking for more cannot return them.
        truncated = piece.offset() > 0 && !piece.gap();
        atLineBegin = !truncated;
      }
      byte[] data = piece.data();
      for (int i = 0; i < data.length; i++) {
        if (atLineBegin) {
          begins.add(piece.offset() + i);
          if (begins.size() > lines) {
            begins.removeFirst();
          }
        }
        atLineBegin = data[i] == '\n';
      }
    }

    boolean isEnough() {
      return !truncated || begins.size() >= lines;
    }

    /// @param isAll no earlier output is kept: a line without its beginning then counts, too
    long begin(boolean isAll) {
      boolean isShort = begins.size() < lines;
      return (isAll && isShort) || begins.isEmpty() ? Math.max(0, first) : begins.getFirst();
    }
  }
}
