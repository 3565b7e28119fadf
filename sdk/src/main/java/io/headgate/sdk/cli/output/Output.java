package io.headgate.sdk.cli.output;

import java.io.PrintStream;
import java.util.function.IntSupplier;

/// The two streams of a command: standard output for data alone, standard error for everything
/// else.
///
/// @param width of the terminal behind standard output; 0: there is none
public record Output(
    PrintStream out,
    PrintStream err,
    boolean terminal,
    IntSupplier width,
    TextColors paint,
    TextColors errorPaint,
    Symbols symbols,
    TimeText times,
    boolean quiet) {
  /// Data. A closed pipe behind it is no error: who reads has seen enough.
  public void line(String text) {
    out.println(text);
  }

  /// Text that already ends as it should.
  public void text(String text) {
    out.print(text);
    out.flush();
  }

  /// Clears the terminal, so that a watched list replaces what it showed before.
  public void clearScreen() {
    text("\u001b[H\u001b[J");
  }

  /// Whether the reader of standard output has closed it.
  public boolean isClosed() {
    return out.checkError();
  }

  /// A remark beside the data; not with `--quiet`.
  public void note(String text) {
    if (!quiet) {
      out.flush();
      err.println(text);
    }
  }

  public String bold(String text) {
    return paint.paint(Style.BOLD, text);
  }

  public String dim(String text) {
    return paint.paint(Style.DIM, text);
  }
}
