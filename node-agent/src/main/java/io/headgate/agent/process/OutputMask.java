package io.headgate.agent.process;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Replaces the values of a vault in output, each byte by an asterisk, so that offsets stay as they
/// are. Only a value that appears as it is is found: not one that the job encodes, reverses or
/// splits. Immutable.
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
    int most = 0;
    for (String value : values) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      if (bytes.length >= SHORTEST_BYTES) {
        byFirst.computeIfAbsent(bytes[0], _ -> new ArrayList<>()).add(bytes);
        most = Math.max(most, bytes.length);
      }
    }
    this.longest = most;
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
    BitSet masked = new BitSet();
    for (int at = 0; at < bytes.length; at++) {
      for (byte[] value : byFirst.getOrDefault(bytes[at], List.of())) {
        if (isAt(bytes, at, value, value.length)) {
          masked.set(at, at + value.length);
        }
      }
    }
    masked.stream().forEach(at -> bytes[at] = MARK);
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
