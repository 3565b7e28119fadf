package io.headgate.policy.core.key;

import java.util.Base64;
import java.util.Optional;

/// A long-lived secret in the form that its owner stores: `hg_<kind>_<id>_<43 letters>`. The
/// letters are 32 random bytes in unpadded base64url.
public final class KeySecret {
  /// Random bytes in a secret.
  public static final int RANDOM_BYTES = 32;

  private static final String PREFIX = "hg";
  private static final char SEPARATOR = '_';
  private static final int LETTERS = 43;

  private final KeyKind kind;
  private final KeyId id;
  private final String text;

  private KeySecret(KeyKind kind, KeyId id, String text) {
    this.kind = kind;
    this.id = id;
    this.text = text;
  }

  public static KeySecret of(KeyKind kind, KeyId id, byte[] random) {
    if (random.length != RANDOM_BYTES) {
      throw new IllegalArgumentException("a secret has " + RANDOM_BYTES + " random bytes");
    }
    String letters = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    return new KeySecret(kind, id, PREFIX + "_" + kind.word() + "_" + id + "_" + letters);
  }

  /// Parses the text of {@link #text()}; empty if it has another form.
  public static Optional<KeySecret> parse(String text) {
    // The letters may contain the separator, so there are four parts and never more.
    String[] parts = text.split(String.valueOf(SEPARATOR), 4);
    if (parts.length != 4
        || !parts[0].equals(PREFIX)
        || !KeyId.isValid(parts[2])
        || parts[3].length() != LETTERS
        || !parts[3].chars().allMatch(KeySecret::isLetter)) {
      return Optional.empty();
    }
    return KeyKind.ofWord(parts[1]).map(kind -> new KeySecret(kind, new KeyId(parts[2]), text));
  }

  public KeyKind kind() {
    return kind;
  }

  public KeyId id() {
    return id;
  }

  /// The secret in clear text, for its owner only.
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return PREFIX + "_" + kind.word() + "_" + id + "_[hidden]";
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '-';
  }
}
