package io.headgate.sdk.cli.command.top;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/// The whole screen of the terminal, from its opening until it is restored. It is restored once, by
/// whichever comes first: the end of the command, or the end of the process by a signal.
final class TopScreen implements AutoCloseable {
  private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[H\u001b[2J";
  private static final String LEAVE = "\u001b[0m\u001b[?25h\u001b[?1049l";
  private static final String RESET_AND_CLEAR_REST = "\u001b[0m\u001b[K";

  private final Terminal terminal;
  private final PrintStream out;
  private final Attributes before;
  private final AtomicBoolean isRestored = new AtomicBoolean();
  private final Thread atExit = new Thread(this::restore, "headgate-top-restore");
  private List<String> drawn = List.of();
  private Size size;

  private TopScreen(Terminal terminal, PrintStream out) {
    this.terminal = terminal;
    this.out = out;
    this.size = terminal.getSize();
    this.before = terminal.getAttributes();
  }

  /// Takes the screen.
  ///
  /// @param out to the terminal; the terminal's own writer may be closed by the end of the process
  /// @param onInterrupt called by Ctrl-C, on another thread
  /// @param onResize called when the size changes, on another thread
  static TopScreen open(PrintStream out, Runnable onInterrupt, Runnable onResize)
      throws IOException {
    TopScreen screen =
        new TopScreen(
            TerminalBuilder.builder()
                .system(true)
                .dumb(false)
                .nativeSignals(true)
                // It would ask the terminal, and take keys for the answer.
                .graphemeCluster(false)
                .build(),
            out);
    Runtime.getRuntime().addShutdownHook(screen.atExit);
    Terminal terminal = screen.terminal;
    terminal.handle(Terminal.Signal.INT, _ -> onInterrupt.run());
    terminal.handle(Terminal.Signal.WINCH, _ -> onResize.run());
    var _ = terminal.enterRawMode();
    Attributes own = terminal.getAttributes();
    // A stopped process would leave the terminal in this state to the shell.
    own.setControlChar(Attributes.ControlChar.VSUSP, 0);
    terminal.setAttributes(own);
    screen.write(ENTER);
    return screen;
  }

  TopKeyReader keys() {
    return new TopKeyReader(terminal.reader());
  }

  int width() {
    return Math.max(1, size.getColumns());
  }

  int height() {
    return Math.max(1, size.getRows());
  }

  /// Reads the size anew; the next drawing draws every line.
  void resized() {
    size = terminal.getSize();
    drawn = List.of();
    write("\u001b[2J");
  }

  /// Draws the lines that differ from those of the last drawing.
  void draw(List<String> lines) {
    StringBuilder text = new StringBuilder();
    for (int row = 0; row < Math.max(lines.size(), drawn.size()); row++) {
      String line = row < lines.size() ? lines.get(row) : "";
      if (row >= drawn.size() || !drawn.get(row).equals(line)) {
        text.append("\u001b[").append(row + 1).append(";1H").append(line);
        text.append(RESET_AND_CLEAR_REST);
      }
    }
    drawn = new ArrayList<>(lines);
    write(text.toString());
  }

  private void write(String text) {
    out.print(text);
    out.flush();
  }

  private void restore() {
    if (isRestored.compareAndSet(false, true)) {
      write(LEAVE);
      try {
        terminal.setAttributes(before);
      } catch (RuntimeException _) {
        // The library's own hook was first, and has restored the terminal.
      }
    }
  }

  @Override
  public void close() throws IOException {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException _) {
      // The process is ending; the hook has nothing left to do.
    }
    terminal.close();
  }
}
