package io.headgate.deploy.libraries;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The version of a library, in Maven's order: numbers count as numbers, and `1.0-rc1` comes before
/// `1.0`. See the POM reference of Maven, "Version Order Specification".
record LibraryVersion(String text) implements Comparable<LibraryVersion> {
  private static final Pattern PART = Pattern.compile("[0-9]+|[a-z]+");

  /// Qualifiers before and after a release, which is the empty one.
  private static final List<String> QUALIFIERS =
      List.of("alpha", "beta", "milestone", "rc", "snapshot", "", "sp");

  @Override
  public int compareTo(LibraryVersion other) {
    List<String> own = parts(text);
    List<String> its = parts(other.text);
    for (int i = 0; i < Math.max(own.size(), its.size()); i++) {
      int order = compare(part(own, i), part(its, i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static List<String> parts(String text) {
    List<String> parts = new ArrayList<>();
    Matcher matcher = PART.matcher(text.toLowerCase(Locale.ROOT));
    while (matcher.find()) {
      parts.add(matcher.group());
    }
    // 1.0.0 is 1, and 1.0-ga is 1.
    while (!parts.isEmpty() && isNothing(parts.getLast())) {
      parts.removeLast();
    }
    return parts;
  }

  private static boolean isNothing(String part) {
    return switch (part) {
      case "ga", "final", "release" -> true;
      default -> isNumber(part) && part.chars().allMatch(c -> c == '0');
    };
  }

  private static String part(List<String> parts, int index) {
    return index < parts.size() ? parts.get(index) : "";
  }

  private static int compare(String own, String its) {
    if (isNumber(own) || isNumber(its)) {
      if (isWord(own) || isWord(its)) {
        // A number is later than every word.
        return isNumber(own) ? 1 : -1;
      }
      String a = own.replaceFirst("^0+", "");
      String b = its.replaceFirst("^0+", "");
      return a.length() == b.length() ? a.compareTo(b) : Integer.compare(a.length(), b.length());
    }
    String a = qualifier(own);
    String b = qualifier(its);
    int order = Integer.compare(rank(a), rank(b));
    return order == 0 ? a.compareTo(b) : order;
  }

  private static int rank(String qualifier) {
    int known = QUALIFIERS.indexOf(qualifier);
    return known < 0 ? QUALIFIERS.size() : known;
  }

  private static String qualifier(String word) {
    return switch (word) {
      case "a" -> "alpha";
      case "b" -> "beta";
      case "m" -> "milestone";
      case "cr" -> "rc";
      case "ga", "final", "release" -> "";
      default -> word;
    };
  }

  private static boolean isWord(String part) {
    return !part.isEmpty() && !isNumber(part);
  }

  private static boolean isNumber(String part) {
    return !part.isEmpty() && Character.isDigit(part.charAt(0));
  }
}
