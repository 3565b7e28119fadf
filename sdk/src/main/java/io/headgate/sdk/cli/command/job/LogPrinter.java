package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.TerminalFilter;
import io.headgate.sdk.model.LogPiece;
import java.io.PrintStream;

/// Copies a job's standard output and standard error to those of this process. A pipe gets every
/// byte unchanged; a terminal gets filtered text.
final class LogPrinter {
  private final Invocation invocation;
  private final boolean raw;
  private final TerminalFilter outFilter = new TerminalFilter();
  private final TerminalFilter errFilter = new TerminalFilter();

  /// Creates a printer.
  ///
  /// @param raw a terminal gets every byte, too
  LogPrinter(Invocation invocation, boolean raw) {
    this.invocation = invocation;
    this.raw = raw;
  }

  void print(LogPiece piece) {
    if (piece.gap()) {
      invocation.output().note("(earlier output is missing: it is no longer kept)");
    }
    boolean error = piece.error();
    boolean terminal =
        error ? invocation.environment().errTerminal() : invocation.environment().outTerminal();
    byte[] data = piece.data();
    if (terminal && !raw) {
      data = (error ? errFilter : outFilter).filter(data);
    }
    PrintStream stream = error ? invocation.environment().err() : invocation.environment().out();
    stream.write(data, 0, data.length);
    stream.flush();
  }
}
