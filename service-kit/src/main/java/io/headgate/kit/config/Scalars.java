package io.headgate.kit.config;

import io.headgate.kit.decision.NearestWord;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Reads configuration values that consist of one word.
final class Scalars {
  private Scalars() {}

  /// Whether a record type is written as one word rather than as keys.
  static boolean reads(Class<?> type) {
    return type == ByteSize.class;
  }

  /// The value of `type` written as `text`.
  ///
  /// @throws IllegalArgumentException with a message that names the accepted values
  static Object parse(Class<?> type, String text) {
    if (type == String.class) {
      return text;
    } else if (type == Secret.class) {
      return Secret.of(text);
    } else if (type == int.class || type == Integer.class) {
      return Math.toIntExact(number(text, Integer.MIN_VALUE, Integer.MAX_VALUE));
    } else if (type == long.class || type == Long.class) {
      return number(text, Long.MIN_VALUE, Long.MAX_VALUE);
    } else if (type == double.class || type == Double.class) {
      return real(text);
    } else if (type == boolean.class || type == Boolean.class) {
      return truth(text);
    } else if (type == Duration.class) {
      return Durations.parse(text);
    } else if (type == ByteSize.class) {
      return ByteSize.parse(text);
    } else if (type == Path.class) {
      return Path.of(text);
    } else if (type == URI.class) {
      return uri(text);
    } else if (type.isEnum()) {
      return constant(type, text);
    }
    throw new IllegalStateException("no configuration of type " + type);
  }

  /// The word by which a file names a constant.
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static long number(String text, long least, long most) {
    try {
      long value = Long.parseLong(text.strip().replace("_", ""));
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The check below refuses it with the range.
    }
    throw new IllegalArgumentException(
        "'" + text + "' is not a whole number from " + least + " to " + most);
  }

  private static double real(String text) {
    try {
      double value = Double.parseDouble(text.strip());
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new IllegalArgumentException("'" + text + "' is not a number");
  }

  private static boolean truth(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on" -> true;
      case "false", "no", "off" -> false;
      default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
    };
  }

  private static URI uri(String text) {
    try {
      return new URI(text.strip());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("'" + text + "' is not a URI: " + e.getReason(), e);
    }
  }

  private static Object constant(Class<?> type, String text) {
    List<String> words =
        Arrays.stream(type.getEnumConstants()).map(value -> word((Enum<?>) value)).toList();
    int index = words.indexOf(text.strip().toLowerCase(Locale.ROOT).replace('_', '-'));
    if (index < 0) {
      throw new IllegalArgumentException(NearestWord.unknown("value", text, words));
    }
    return type.getEnumConstants()[index];
  }
}
