package io.headgate.type;

/// The form of all ids of the contract: `[a-z]([a-z0-9-]{0,61}[a-z0-9])?`.
public final class NameRule {
  /// The rule in words, for error messages.
  public static final String WORDS =
      "1 to 63 lower-case letters, digits and hyphens, starting with a letter and not ending with a"
          + " hyphen";

  private static final int MAX_LENGTH = 63;

  private NameRule() {}

  public static boolean isValid(String value) {
    int length = value.length();
    if (length == 0 || length > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      boolean letter = c >= 'a' && c <= 'z';
      boolean digit = c >= '0' && c <= '9';
      boolean inner = i > 0 && i < length - 1;
      if (!(letter || (i > 0 && digit) || (inner && c == '-'))) {
        return false;
      }
    }
    return true;
  }

  /// Guards the constructors of id types, which only take checked input.
  ///
  /// @throws IllegalArgumentException if `value` is not an id
  public static void require(String value) {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not an id: '" + value + "'");
    }
  }
}
