package io.headgate.sdk.cli.output;

import java.io.ByteArrayOutputStream;

/// Removes escape sequences and control characters from a stream of UTF-8 bytes, across the borders
/// of its pieces. Thereby a job's output cannot change the title of a terminal, move its cursor or
/// type answers. Line ends and tabs stay; a lone carriage return becomes a line end.
///
/// Controls exist in three spellings, and a terminal may know each: `ESC [`, the 8-bit byte 0x9B,
/// and that code point in UTF-8, 0xC2 0x9B. The byte 0x9B is a control only where no character of
/// several bytes is open.
public final class TerminalFilter {
  private State state = State.TEXT;

  /// Bytes that the open character of several bytes still lacks.
  private int lacking;

  private enum State {
    TEXT,
    CARRIAGE_RETURN,
    ESCAPE,
    /// `ESC [ …` up to a final byte.
    CONTROL_SEQUENCE,
    /// `ESC ] …`, `ESC P …` up to BEL or `ESC \`.
    STRING,
    STRING_ESCAPE,
    /// After 0xC2, which begins the 8-bit controls U+0080 to U+009F.
    C2,
    /// Inside a character of several bytes.
    CHARACTER
  }

  /// The harmless part of the next piece.
  public byte[] filter(byte[] piece) {
    ByteArrayOutputStream clean = new ByteArrayOutputStream(piece.length);
    for (byte signed : piece) {
      step(signed & 0xFF, clean);
    }
    return clean.toByteArray();
  }

  private void step(int value, ByteArrayOutputStream clean) {
    switch (state) {
      case TEXT -> text(value, clean);
      case CARRIAGE_RETURN -> {
        clean.write('\n');
        state = State.TEXT;
        if (value != '\n') {
          text(value, clean);
        }
      }
      case ESCAPE ->
          state =
              switch (value) {
                case '[' -> State.CONTROL_SEQUENCE;
                case ']', 'P', 'X', '^', '_' -> State.STRING;
                default -> value >= 0x20 && value < 0x30 ? State.ESCAPE : State.TEXT;
              };
      case CONTROL_SEQUENCE -> {
        if (value >= 0x40 && value <= 0x7E) {
          state = State.TEXT;
        } else if (value < 0x20) {
          state = State.TEXT; // It was none; what follows is text again.
          text(value, clean);
        }
      }
      case STRING -> {
        if (value == 0x07 || value == 0x9C) {
          state = State.TEXT;
        } else if (value == 0x1B) {
          state = State.STRING_ESCAPE;
        }
      }
      case STRING_ESCAPE -> state = value == '\\' ? State.TEXT : State.STRING;
      case C2 -> {
        if (value >= 0x80 && value <= 0x9F) {
          state = control(value);
        } else {
          clean.write(0xC2);
          state = State.TEXT;
          if (value >= 0xA0 && value <= 0xBF) {
            clean.write(value);
          } else {
            text(value, clean);
          }
        }
      }
      case CHARACTER -> {
        if (value < 0x80 || value > 0xBF) {
          state = State.TEXT; // The character is broken; what follows is text again.
          text(value, clean);
        } else {
          clean.write(value);
          if (--lacking == 0) {
            state = State.TEXT;
          }
        }
      }
    }
  }

  /// The state after an 8-bit control.
  private static State control(int value) {
    return switch (value) {
      case 0x9B -> State.CONTROL_SEQUENCE;
      case 0x90, 0x98, 0x9D, 0x9E, 0x9F -> State.STRING;
      default -> State.TEXT;
    };
  }

  private void text(int value, ByteArrayOutputStream clean) {
    switch (value) {
      case '\n', '\t' -> clean.write(value);
      case '\r' -> state = State.CARRIAGE_RETURN;
      case 0x1B -> state = State.ESCAPE;
      case 0xC2 -> state = State.C2;
      default -> {
        if (value >= 0x80 && value <= 0x9F) {
          state = control(value);
        } else if (value >= 0x20 && value != 0x7F) {
          clean.write(value);
          lacking = value < 0xC2 || value > 0xF4 ? 0 : value < 0xE0 ? 1 : value < 0xF0 ? 2 : 3;
          state = lacking > 0 ? State.CHARACTER : State.TEXT;
        }
      }
    }
  }
}
