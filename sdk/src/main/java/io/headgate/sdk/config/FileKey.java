package io.headgate.sdk.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/// One key of a file with its type, default, bound and meaning. The readers, the hints for unknown
/// keys and the reference all take these facts from here.
sealed interface FileKey {
  String REQUIRED = "required";

  TextKey DESCRIPTION = new TextKey("description", 1000, "Free text for people.");

  /// How values of each type are written.
  SequencedMap<String, String> TYPES = types();

  /// The key as the file spells it.
  String name();

  /// The kind of value, for people.
  String type();

  /// The default for people, `required`, or empty when leaving the key out means "none".
  String defaultText();

  /// The accepted values, for people; empty when the type says it all.
  String bound();

  /// One sentence on the effect of the value.
  String meaning();

  /// A whole number in a range.
  record IntegerKey(
      String name, int fallback, int least, int most, String defaultText, String meaning)
      implements FileKey {
    IntegerKey(String name, int fallback, int least, int most, String meaning) {
      this(name, fallback, least, most, Integer.toString(fallback), meaning);
    }

    @Override
    public String type() {
      return "whole number";
    }

    @Override
    public String bound() {
      return least + " to " + most;
    }
  }

  /// A length of time.
  record DurationKey(String name, Duration fallback, String meaning) implements FileKey {
    @Override
    public String type() {
      return "duration";
    }

    @Override
    public String defaultText() {
      return DurationText.format(fallback);
    }

    @Override
    public String bound() {
      return "";
    }
  }

  /// A length of time within bounds, or none.
  record BoundedDurationKey(
      String name, Duration least, Duration most, String defaultText, String meaning)
      implements FileKey {
    @Override
    public String type() {
      return "duration";
    }

    @Override
    public String bound() {
      return text(least) + " to " + text(most);
    }

    private static String text(Duration bound) {
      Duration days = Duration.ofDays(bound.toDays());
      return bound.isPositive() && bound.equals(days)
          ? days.toDays() + "d"
          : DurationText.format(bound);
    }
  }

  /// `true` or `false`.
  record FlagKey(String name, boolean fallback, String meaning) implements FileKey {
    @Override
    public String type() {
      return "true or false";
    }

    @Override
    public String defaultText() {
      return Boolean.toString(fallback);
    }

    @Override
    public String bound() {
      return "";
    }
  }

  /// One word of an enumeration.
  record KeywordKey<E extends Enum<E> & Keyword>(String name, E fallback, String meaning)
      implements FileKey {
    @Override
    public String type() {
      return "word";
    }

    @Override
    public String defaultText() {
      return fallback.keyword();
    }

    @Override
    public String bound() {
      return spellings(fallback.getDeclaringClass());
    }
  }

  /// One word of an enumeration, or none.
  record OptionalKeywordKey<E extends Enum<E> & Keyword>(
      String name, Class<E> words, String defaultText, String meaning) implements FileKey {
    @Override
    public String type() {
      return "word";
    }

    @Override
    public String bound() {
      return spellings(words);
    }
  }

  /// Text with a greatest length in characters.
  record TextKey(String name, int maxLength, String defaultText, String meaning)
      implements FileKey {
    TextKey(String name, int maxLength, String meaning) {
      this(name, maxLength, "", meaning);
    }

    @Override
    public String type() {
      return "text";
    }

    @Override
    public String bound() {
      return "at most " + maxLength + " characters";
    }
  }

  /// A list of texts without repetitions.
  record TextListKey(String name, int most, int maxLength, String meaning) implements FileKey {
    @Override
    public String type() {
      return "list of texts";
    }

    @Override
    public String defaultText() {
      return "";
    }

    @Override
    public String bound() {
      return "at most %d of at most %d characters".formatted(most, maxLength);
    }
  }

  /// A key whose reader has rules of its own.
  record PlainKey(String name, String type, String defaultText, String bound, String meaning)
      implements FileKey {}

  /// The name of an object, which its file declares once.
  static PlainKey declaration(String meaning) {
    return new PlainKey("name", "name", REQUIRED, "unique", meaning);
  }

  /// A value without a bound of its own.
  static PlainKey of(String name, String type, String defaultText, String meaning) {
    return new PlainKey(name, type, defaultText, "", meaning);
  }

  static PlainKey list(String name, String meaning) {
    return of(name, "list of mappings", "", meaning);
  }

  /// The name of something that the file declares.
  static PlainKey reference(String name, String section, String defaultText, String meaning) {
    return new PlainKey(name, "name", defaultText, "declared under " + section, meaning);
  }

  /// Names of things that the file declares.
  static PlainKey references(String name, String section, String defaultText, String meaning) {
    return new PlainKey(name, "list of names", defaultText, "declared under " + section, meaning);
  }

  private static SequencedMap<String, String> types() {
    SequencedMap<String, String> types = new LinkedHashMap<>();
    types.put("name", "1 to 63 lower-case letters, digits and hyphens; a letter first");
    types.put("free name", "1 to 128 letters, digits and . _ @ + -; a letter or digit first");
    types.put("GPU quantity", "4, 0.5 or 1/7; a multiple of 1/126000 GPU");
    types.put("duration", "90s, 15m, 2h, 1h30m or 7d");
    types.put("memory", "16GiB, 512MiB or 80GB");
    types.put("CPUs", "4 or 0.5");
    return Collections.unmodifiableSequencedMap(types);
  }

  private static <E extends Enum<E> & Keyword> String spellings(Class<E> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(Keyword::keyword)
        .collect(Collectors.joining(", "));
  }

  /// The keys of one mapping, in the order of the reference.
  ///
  /// @param path where the mapping stands in the file, such as `pools[].instance`; empty: the top
  /// @param meaning the things that the mapping describes
  record Section(String path, String meaning, List<FileKey> keys) {
    public Section {
      keys = List.copyOf(keys);
    }

    static Section of(String path, String meaning, FileKey... keys) {
      return new Section(path, meaning, List.of(keys));
    }

    List<String> names() {
      return keys.stream().map(FileKey::name).toList();
    }
  }
}
