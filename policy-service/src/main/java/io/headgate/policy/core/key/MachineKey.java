package io.headgate.policy.core.key;

import java.util.HexFormat;
import java.util.Optional;

/// The public half of a machine's key pair, an Ed25519 key. Its private half never leaves the
/// machine.
///
/// @param hex the 32 bytes of the key, in hexadecimal
public record MachineKey(String hex) {
  private static final int ENCODED_BYTES = 44;

  /// All Ed25519 keys begin so in the form SubjectPublicKeyInfo; then come the bytes of the key.
  private static final String PREFIX = "302a300506032b6570032100";

  /// Reads the text of {@link #encoded()}; empty for keys of other kinds and lengths. Whether the
  /// key is a point of the curve shows with its first signature.
  public static Optional<MachineKey> parse(byte[] encoded) {
    if (encoded.length != ENCODED_BYTES) {
      return Optional.empty();
    }
    String text = HexFormat.of().formatHex(encoded);
    return text.startsWith(PREFIX)
        ? Optional.of(new MachineKey(text.substring(PREFIX.length())))
        : Optional.empty();
  }

  /// Its SubjectPublicKeyInfo (DER).
  public byte[] encoded() {
    return HexFormat.of().parseHex(PREFIX + hex);
  }
}
