package io.headgate.policy.core.key;

import java.util.HexFormat;

/// The public half of a key or join token: 16 hexadecimal digits, random, not secret.
public record KeyId(String value) {
  /// Random bytes in an id.
  public static final int RANDOM_BYTES = 8;

  public KeyId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a key id: '" + value + "'");
    }
  }

  public static KeyId ofRandom(byte[] random) {
    return new KeyId(HexFormat.of().formatHex(random));
  }

  public static boolean isValid(String value) {
    return value.length() == 2 * RANDOM_BYTES
        && value.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  }

  @Override
  public String toString() {
    return value;
  }
}
