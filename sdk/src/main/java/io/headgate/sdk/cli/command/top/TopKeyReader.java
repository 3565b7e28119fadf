package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.command.top.TopKey.Named;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jline.utils.NonBlockingReader;

/// Reads keys from a terminal in raw mode. Sequences that begin with Escape are the keys that have
/// no character; an Escape that nothing follows is the key itself.
record TopKeyReader(NonBlockingReader in) {
  private static final int ESCAPE = 27;
  private static final int DELETE = 127;
  private static final long PATIENCE_MS = 200;
  private static final long WITHIN_SEQUENCE_MS = 50;
  private static final int LONGEST_SEQUENCE = 16;

  /// By the sequence after Escape, of xterm and its relatives.
  private static final Map<String, Named> SEQUENCES =
      Map.ofEntries(
          Map.entry("[A", Named.UP),
          Map.entry("OA", Named.UP),
          Map.entry("[B", Named.DOWN),
          Map.entry("OB", Named.DOWN),
          Map.entry("[5~", Named.PAGE_UP),
          Map.entry("[6~", Named.PAGE_DOWN),
          Map.entry("[H", Named.HOME),
          Map.entry("OH", Named.HOME),
          Map.entry("[1~", Named.HOME),
          Map.entry("[F", Named.END),
          Map.entry("OF", Named.END),
          Map.entry("[4~", Named.END));

  /// Thrown at the end of the input: the terminal is gone.
  static final class TerminalGoneException extends IOException {
    private static final long serialVersionUID = 1;

    TerminalGoneException() {
      super("the terminal is gone");
    }
  }

  /// Waits for the next key, but not for ever: a reader that waits holds a lock that the end of the
  /// terminal needs.
  Optional<TopKey> next() throws IOException {
    int read = in.read(PATIENCE_MS);
    return switch (read) {
      case NonBlockingReader.READ_EXPIRED -> Optional.empty();
      case NonBlockingReader.EOF -> throw new TerminalGoneException();
      case ESCAPE -> Optional.of(sequence());
      case '\r', '\n' -> Optional.of(Named.ENTER);
      case DELETE, '\b' -> Optional.of(Named.BACKSPACE);
      default -> Optional.of(read < ' ' ? Named.OTHER : character(read));
    };
  }

  private TopKey character(int read) throws IOException {
    char first = (char) read;
    if (Character.isHighSurrogate(first)) {
      int second = in.read(WITHIN_SEQUENCE_MS);
      return second < 0
          ? Named.OTHER
          : new TopKey.Typed(Character.toCodePoint(first, (char) second));
    }
    return new TopKey.Typed(read);
  }

  private TopKey sequence() throws IOException {
    StringBuilder sequence = new StringBuilder();
    while (sequence.length() < LONGEST_SEQUENCE) {
      int read = in.read(WITHIN_SEQUENCE_MS);
      if (read < 0) {
        break;
      }
      sequence.append((char) read);
      boolean isBegin = sequence.length() == 1 && (read == '[' || read == 'O');
      if (!isBegin && (read == '~' || Character.isLetter(read))) {
        break;
      }
    }
    return sequence.isEmpty()
        ? Named.ESCAPE
        : SEQUENCES.getOrDefault(sequence.toString(), Named.OTHER);
  }
}
