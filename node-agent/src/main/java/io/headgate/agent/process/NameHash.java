package io.headgate.agent.process;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Short stand-ins for long texts in names of files, containers and pods: the beginning of a text's
/// SHA-256. Equal texts have equal hashes on every machine and in every version of the agent.
public final class NameHash {
  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final BigInteger BASE = BigInteger.valueOf(ALPHABET.length());

  private NameHash() {}

  /// Lower-case hexadecimal digits, of 4 bits each.
  ///
  /// @param digits at most 64
  public static String hex(String text, int digits) {
    return hex(text.getBytes(StandardCharsets.UTF_8), digits);
  }

  static String hex(byte[] content, int digits) {
    return HexFormat.of().formatHex(sha256(content)).substring(0, digits);
  }

  /// Letters and digits, of almost 6 bits each, for places where case counts: 11 hold 65 bits.
  ///
  /// @param length at most 42
  public static String alphanumeric(String text, int length) {
    BigInteger rest = new BigInteger(1, sha256(text.getBytes(StandardCharsets.UTF_8)));
    StringBuilder name = new StringBuilder();
    while (name.length() < length) {
      BigInteger[] divided = rest.divideAndRemainder(BASE);
      name.append(ALPHABET.charAt(divided[1].intValue()));
      rest = divided[0];
    }
    return name.toString();
  }

  private static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
