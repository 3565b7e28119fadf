package io.headgate.agent.process;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Replaces the values of a vault in output, each byte by an asterisk, so that offsets stay as they
/// are. Only a value that appears as it is is found, or a line of it: not one that the job encodes,
/// reverses or splits otherwise. Immutable.
///
/// With the value `hunter2-hunter2`, `key=hunter2-hunter2;` becomes `key=***************;`.
final class OutputMask {
  /// Shorter values, such as `on` or `8080`, are no secrets, and would blacken harmless output.
  static final int SHORTEST_BYTES = 8;

  static final OutputMask NONE = new OutputMask(List.of());

  private static final byte MARK = '*';

  private final Map<Byte, List<byte[]>> byFirst = new HashMap<>();
  private final int longest;

  OutputMask(Collection<String> values) {
    // Programs print values of several lines line by line, between other text.
    List<byte[]> secrets =
        values.stream()
            .flatMap(value -> Stream.concat(Stream.of(value), value.lines()))
            .distinct()
            .map(secret -> secret.getBytes(StandardCharsets.UTF_8))
            .filter(secret -> secret.length >= SHORTEST_BYTES)
            .toList();
    for (byte[] secret : secrets) {
      byFirst.computeIfAbsent(secret[0], _ -> new ArrayList<>()).add(secret);
    }
    this.longest = secrets.stream().mapToInt(secret -> secret.length).max().orElse(0);
  }

  boolean isEmpty() {
    return byFirst.isEmpty();
  }

  /// Bytes before and after a byte that tell whether it belongs to a value.
  int context() {
    return Math.max(0, longest - 1);
  }

  /// Masks the whole values in the bytes. Values may overlap.
  void apply(byte[] bytes) {
    apply(bytes, false);
  }

  /// Masks the whole values in the bytes. Values may overlap.
  ///
  /// @param isCut whether bytes before these are lost: then the bytes may begin with the end of a
  ///   value, which is masked, too
  void apply(byte[] bytes, boolean isCut) {
    BitSet masked = new BitSet();
    for (int at = 0; at < bytes.length; at++) {
      for (byte[] value : byFirst.getOrDefault(bytes[at], List.of())) {
        if (isAt(bytes, at, value, value.length)) {
          masked.set(at, at + value.length);
        }
      }
    }
    if (isCut) {
      masked.set(0, cutLength(bytes));
    }
    masked.stream().forEach(at -> bytes[at] = MARK);
  }

  /// How many of the first bytes end a value whose beginning is lost.
  private int cutLength(byte[] bytes) {
    int length = Math.min(bytes.length, context());
    while (length > 0 && !endsAValue(bytes, length)) {
      length--;
    }
    return length;
  }

  private boolean endsAValue(byte[] bytes, int length) {
    return byFirst.values().stream()
        .flatMap(List::stream)
        .anyMatch(value ->
            value.length > length
                && Arrays.equals(bytes, 0, length, value, value.length - length, value.length));
  }

  /// The beginning of a text as it may be shown.
  ///
  /// @param isCut whether the text goes on
  String apply(String text, boolean isCut) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    apply(bytes);
    if (isCut) {
      Arrays.fill(bytes, bytes.length - open(bytes), bytes.length, MARK);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /// How many of the last bytes may begin a value that is not complete yet.
  int open(byte[] bytes) {
    for (int at = Math.max(0, bytes.length - context()); at < bytes.length; at++) {
      int left = bytes.length - at;
      for (byte[] value : byFirst.getOrDefault(bytes[at], List.of())) {
        if (value.length > left && isAt(bytes, at, value, left)) {
          return left;
        }
      }
    }
    return 0;
  }

  private static boolean isAt(byte[] bytes, int at, byte[] value, int length) {
    if (at + length > bytes.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytes[at + i] != value[i]) {
        return false;
      }
    }
    return true;
  }
}
