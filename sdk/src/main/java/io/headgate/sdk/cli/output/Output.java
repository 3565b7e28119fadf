package io.headgate.sdk.cli.output;

import java.io.PrintStream;
import java.util.function.IntSupplier;

/// The two streams of a command: standard output carries data, standard error everything else.
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
  /// Prints a line of data. A closed pipe is no error: the reader needs no more.
  public void line(String text) {
    out.println(text);
  }

  /// Prints text that already ends with a line end.
  public void text(String text) {
    out.print(text);
    out.flush();
  }

  /// Clears the terminal, so that a watched list replaces its earlier text.
  public void clearScreen() {
    text("\u001b[H\u001b[J");
  }

  /// Whether the reader of standard output has closed it.
  public boolean isClosed() {
    return out.checkError();
  }

  /// Prints a remark to standard error, no wider than the terminal; `--quiet` suppresses it.
  public void note(String text) {
    if (!quiet) {
      out.flush();
      err.println(WrappedText.of(text, terminal ? width.getAsInt() : 0));
    }
  }

  public String bold(String text) {
    return paint.paint(Style.BOLD, text);
  }

  public String dim(String text) {
    return paint.paint(Style.DIM, text);
  }
}
