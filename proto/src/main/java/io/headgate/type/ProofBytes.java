package io.headgate.type;

/// The bytes that the private key of a machine signs. The machine and the verifier must agree on
/// it, so both use this class.
///
/// The first part says what the signature is for, so that no signature can be used for anything
/// else. Each part is preceded by its length in 4 bytes, so that different lists of parts never
/// give the same bytes. The join token or key is a random secret of one installation, so no other
/// installation takes the signature.
public final class ProofBytes {
  private static final String ENROLMENT = "headgate EnrollNode 1";
  private static final String EXCHANGE = "headgate ExchangeKey 1";

  private static final int HIGHEST_ASCII = 0x7f;

  private ProofBytes() {}

  /// The proof with which a machine joins.
  ///
  /// @param requestId empty for a request that is not repeated
  /// @param publicKey of the machine, in its encoding
  /// @throws IllegalArgumentException if a text has other characters than those of ASCII
  public static byte[] ofEnrolment(
      String joinToken, String nodeId, String requestId, byte[] publicKey) {
    return parts(ascii(ENROLMENT), ascii(joinToken), ascii(nodeId), ascii(requestId), publicKey);
  }

  /// The proof with which a machine exchanges its node's key.
  ///
  /// @param publicKey of the machine, in its encoding
  /// @throws IllegalArgumentException if the key has other characters than those of ASCII
  public static byte[] ofExchange(String key, long counter, byte[] publicKey) {
    return parts(ascii(EXCHANGE), ascii(key), ascii(Long.toString(counter)), publicKey);
  }

  private static byte[] parts(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += Integer.BYTES + part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
        all[at++] = (byte) (part.length >>> shift);
      }
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  private static byte[] ascii(String text) {
    byte[] bytes = new byte[text.length()];
    for (int i = 0; i < bytes.length; i++) {
      char c = text.charAt(i);
      if (c > HIGHEST_ASCII) {
        throw new IllegalArgumentException("not ASCII at " + i);
      }
      bytes[i] = (byte) c;
    }
    return bytes;
  }
}
