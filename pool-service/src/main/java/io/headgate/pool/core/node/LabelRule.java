package io.headgate.pool.core.node;

/// The form of labels.
final class LabelRule {
  static final String KEY_WORDS =
      "write 1 to 63 of a-z, 0-9, '.', '_', '-' and '/', with a letter or digit at both ends";
  static final String VALUE_WORDS =
      "write up to 63 of A-Z, a-z, 0-9, '.', '_' and '-', with a letter or digit at both ends";

  private static final int MAX_LENGTH = 63;

  private LabelRule() {}

  static boolean isKey(String text) {
    return !text.isEmpty()
        && isFramed(text)
        && text.chars().allMatch(c -> isLower(c) || isDigit(c) || isJoint(c) || c == '/');
  }

  static boolean isValue(String text) {
    return text.isEmpty()
        || (isFramed(text)
            && text.chars().allMatch(c -> isLower(c) || isUpper(c) || isDigit(c) || isJoint(c)));
  }

  private static boolean isFramed(String text) {
    return text.length() <= MAX_LENGTH
        && isLetterOrDigit(text.charAt(0))
        && isLetterOrDigit(text.charAt(text.length() - 1));
  }

  private static boolean isLetterOrDigit(int c) {
    return isLower(c) || isUpper(c) || isDigit(c);
  }

  private static boolean isLower(int c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isUpper(int c) {
    return c >= 'A' && c <= 'Z';
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isJoint(int c) {
    return c == '.' || c == '_' || c == '-';
  }
}
