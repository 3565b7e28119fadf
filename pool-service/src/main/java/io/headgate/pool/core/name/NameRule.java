package io.headgate.pool.core.name;

/// The form of every id of the contract: `[a-z]([a-z0-9-]{0,61}[a-z0-9])?`.
public final class NameRule {
  /// The rule in words, for messages.
  public static final String WORDS =
      "1 to 63 lower-case letters, digits and hyphens, starting with a letter and not ending with a"
          + " hyphen";

  private static final int MAX_LENGTH = 63;

  private NameRule() {}

  public static boolean isValid(String value) {
    int last = value.length() - 1;
    if (last < 0 || last >= MAX_LENGTH || !isLetter(value.charAt(0)) || value.charAt(last) == '-') {
      return false;
    }
    for (int i = 1; i <= last; i++) {
      char c = value.charAt(i);
      if (!isLetter(c) && !(c >= '0' && c <= '9') && c != '-') {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }

  /// For constructors of ids: input is checked before it becomes an id.
  static void require(String value) {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not an id: '" + value + "'");
    }
  }
}
