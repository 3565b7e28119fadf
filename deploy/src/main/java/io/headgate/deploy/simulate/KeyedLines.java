package io.headgate.deploy.simulate;

import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.ScenarioReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Reads lines of the form `key<TAB>scenario`. One line at a time is in memory, and a line has at
/// most the bytes of a scenario file. Blank lines are passed over.
final class KeyedLines {
  private static final int MOST_KEY_CHARACTERS = 1000;
  private static final int CHUNK_BYTES = 1 << 16;

  private final String name;
  private final InputStream in;
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int next;
  private int end;
  private int number;
  private boolean isCut;

  /// @param name how messages call the input
  KeyedLines(String name, InputStream in) {
    this.name = name;
    this.in = in;
  }

  /// A line of the input.
  ///
  /// @param key empty when the line has none that can be used
  /// @param text the scenario; empty when the line is refused
  /// @param refusal why the line cannot be used; null: it can
  record KeyedLine(String key, String text, @Nullable UsageException refusal) {}

  /// The next line that is not blank; null at the end of the input.
  @Nullable KeyedLine next() throws IOException {
    while (readLine()) {
      number++;
      KeyedLine read = split();
      if (read != null) {
        return read;
      }
    }
    return null;
  }

  /// Reads up to the end of a line and keeps no more of it than the bound.
  ///
  /// @return false when the input has ended
  private boolean readLine() throws IOException {
    line.reset();
    isCut = false;
    boolean begun = false;
    while (next < end || fill()) {
      begun = true;
      int stop = next;
      while (stop < end && chunk[stop] != '\n') {
        stop++;
      }
      int kept = Math.min(stop - next, ScenarioReader.MAX_BYTES - line.size());
      line.write(chunk, next, kept);
      isCut |= kept < stop - next;
      boolean isEnd = stop < end;
      next = isEnd ? stop + 1 : stop;
      if (isEnd) {
        return true;
      }
    }
    return begun;
  }

  private boolean fill() throws IOException {
    next = 0;
    end = Math.max(0, in.read(chunk));
    return end > 0;
  }

  /// @return null for a blank line
  private @Nullable KeyedLine split() {
    String text = line.toString(StandardCharsets.UTF_8);
    if (number == 1 && text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    if (text.isBlank()) {
      return null;
    }
    int tab = text.indexOf('\t');
    if (tab < 0) {
      return refused("", "has no tab between key and scenario");
    }
    String key = text.substring(0, tab);
    if (key.isBlank()) {
      return refused("", "has no key before its tab");
    }
    if (tab > MOST_KEY_CHARACTERS) {
      return refused("", "has a key of more than %d characters".formatted(MOST_KEY_CHARACTERS));
    }
    if (key.chars().anyMatch(Character::isISOControl)) {
      return refused("", "has a control character in its key");
    }
    if (isCut) {
      return refused(key, "has more than %d MiB".formatted(ScenarioReader.MAX_BYTES >> 20));
    }
    if (!isText()) {
      return refused(key, "is not UTF-8 text");
    }
    return new KeyedLine(key, text.substring(tab + 1), null);
  }

  private boolean isText() {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray()));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private KeyedLine refused(String key, String what) {
    return new KeyedLine(
        key,
        "",
        new UsageException(
            "line %d of %s %s".formatted(number, name, what),
            "BAD_LINE",
            "write one scenario a line: its key, a tab, the scenario as JSON"));
  }
}
