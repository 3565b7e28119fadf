package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import io.headgate.type.InexactQuantityException;
import io.headgate.type.MalformedQuantityException;
import io.headgate.type.NearestName;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Typed values of one mapping. A value that cannot be read is reported and stood in for, so that
/// the rest can be checked.
final class ValueReader {
  private static final Pattern ID = Pattern.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}");
  private static final Pattern INTEGER = Pattern.compile("-?\\d{1,9}");
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,9}(\\.\\d{1,6})?");
  private static final String ID_RULE =
      "names have 1 to 63 lower-case letters, digits and hyphens, starting with a letter";
  // Stands for a name that could not be read; no valid name equals it.
  static final String UNREADABLE = "?";

  private final MappingReader fields;

  ValueReader(MappingReader fields) {
    this.fields = fields;
  }

  static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  String id(String key, String next) {
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar == null) {
      if (fields.value(key) == null) {
        fields.missing(key, next);
      }
      return UNREADABLE;
    }
    return checkedId(scalar, fields.path(key)) ? scalar.text() : UNREADABLE;
  }

  /// A name that something in the file must have.
  String reference(String key, DeclaredNames names, String next) {
    String name = id(key, next);
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar != null) {
      names.check(scalar, fields.path(key), fields.problems());
    }
    return name;
  }

  @Nullable String referenceOrNull(String key, DeclaredNames names) {
    return fields.value(key) == null ? null : reference(key, names, "");
  }

  /// DeclaredNames that things in the file must have.
  List<String> references(String key, DeclaredNames names) {
    List<String> ids = ids(key);
    for (MappingReader.Element element : fields.elements(key)) {
      names.check(element.scalar(), element.field(), fields.problems());
    }
    return ids;
  }

  @Nullable String idOrNull(String key) {
    YamlTree.Scalar scalar = fields.scalar(key);
    return scalar != null && checkedId(scalar, fields.path(key)) ? scalar.text() : null;
  }

  /// DeclaredNames without repetitions; each wrong one is reported at its own place.
  List<String> ids(String key) {
    return ids(key, _ -> false);
  }

  /// @param isOther accepts texts that are no ids
  List<String> ids(String key, Predicate<String> isOther) {
    List<String> ids = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (MappingReader.Element element : fields.elements(key)) {
      YamlTree.Scalar scalar = element.scalar();
      String field = element.field();
      if (!isOther.test(scalar.text()) && !checkedId(scalar, field)) {
        continue;
      }
      if (seen.add(scalar.text())) {
        ids.add(scalar.text());
      } else {
        duplicate(scalar, field);
      }
    }
    return ids;
  }

  /// Texts without repetitions, in the file's order; each wrong one is reported at its own place.
  List<String> texts(FileKey.TextListKey key) {
    int most = key.most();
    int maxLength = key.maxLength();
    Set<String> texts = new LinkedHashSet<>();
    for (MappingReader.Element element : fields.elements(key.name())) {
      YamlTree.Scalar scalar = element.scalar();
      String text = scalar.text();
      int length = text.codePointCount(0, text.length());
      if (text.isBlank() || length > maxLength) {
        badAt(
            scalar,
            element.field(),
            "has " + length + " characters",
            "write 1 to " + maxLength + " characters");
      } else if (!texts.add(text)) {
        duplicate(scalar, element.field());
      } else if (texts.size() == most + 1) {
        badAt(scalar, element.field(), "is beyond the limit of the list", "name at most " + most);
      }
    }
    return List.copyOf(texts);
  }

  private void duplicate(YamlTree.Scalar scalar, String field) {
    fields
        .problems()
        .add(
            problem("DUPLICATE_NAME", "\"" + scalar.text() + "\" is listed twice", scalar, field)
                .note("listed before")
                .next("keep one of them"));
  }

  @Nullable String textOrNull(String key, int maxLength) {
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar == null) {
      return null;
    }
    if (scalar.text().codePointCount(0, scalar.text().length()) > maxLength) {
      bad(scalar, key, "is longer than " + maxLength + " characters", "shorten it");
      return null;
    }
    return scalar.text();
  }

  /// A name that is no part of a configuration: of a job, a machine, a person.
  String name(String key, String next) {
    if (fields.value(key) == null) {
      fields.missing(key, next);
      return UNREADABLE;
    }
    String name = nameOrNull(key);
    return name == null ? UNREADABLE : name;
  }

  @Nullable String nameOrNull(String key) {
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar != null && !NAME.matcher(scalar.text()).matches()) {
      bad(
          scalar,
          key,
          "cannot be a name",
          "names have 1 to 128 letters, digits and . _ @ + -, starting with a letter or digit");
      return null;
    }
    return scalar == null ? null : scalar.text();
  }

  @Nullable Duration durationOrNull(String key) {
    return fields.value(key) == null ? null : duration(key, Duration.ZERO);
  }

  @Nullable Boolean flagOrNull(String key) {
    return fields.value(key) == null ? null : flag(key, false);
  }

  @Nullable Long bytesOrNull(String key) {
    return fields.value(key) == null ? null : bytes(key);
  }

  @Nullable Long cpuMillisOrNull(String key) {
    return fields.value(key) == null ? null : cpuMillis(key);
  }

  GpuQuantity quantity(String key, String next) {
    if (fields.value(key) == null) {
      fields.missing(key, next);
      return GpuQuantity.ZERO;
    }
    GpuQuantity quantity = quantityOrNull(key);
    return quantity == null ? GpuQuantity.ZERO : quantity;
  }

  @Nullable GpuQuantity quantityOrNull(String key) {
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar == null) {
      return null;
    }
    try {
      return GpuQuantity.parse(scalar.text());
    } catch (InexactQuantityException e) {
      inexact(scalar, fields.path(key), e);
    } catch (MalformedQuantityException e) {
      bad(scalar, key, "is not a GPU quantity", "write a number of GPUs such as 4, 0.5 or 1/7");
    }
    return null;
  }

  private void inexact(YamlTree.Scalar scalar, String field, InexactQuantityException e) {
    String unit = "/" + GpuQuantity.UNITS_PER_GPU;
    String below = e.below().units() + unit;
    String above = e.above().units() + unit;
    List<String> near = QuantityAdvice.near(scalar.text(), e);
    fields
        .problems()
        .add(
            problem(
                    "INEXACT_QUANTITY",
                    scalar.text() + " GPU cannot be represented exactly",
                    scalar,
                    field)
                .why(
                    "GPU quantities are multiples of 1%s; %s lies between %s and %s"
                        .formatted(unit, scalar.text(), below, above))
                .next(EnglishText.either(near))
                .metadata(Map.of("below", below, "above", above)));
  }

  int integer(FileKey.IntegerKey key) {
    return integer(key, key.fallback());
  }

  /// @param fallback replaces the key's own default, where that depends on another key
  int integer(FileKey.IntegerKey key, int fallback) {
    return integer(key.name(), fallback, key.least(), key.most());
  }

  Duration duration(FileKey.DurationKey key) {
    return duration(key.name(), key.fallback());
  }

  /// Null: the key is absent or its value is wrong.
  @Nullable Duration durationOrNull(FileKey.BoundedDurationKey key) {
    Duration duration = durationOrNull(key.name());
    YamlTree.Scalar scalar = fields.scalar(key.name());
    if (duration != null
        && scalar != null
        && (duration.compareTo(key.least()) < 0 || duration.compareTo(key.most()) > 0)
        && fields.problems().clean(fields.path(key.name()))) {
      bad(scalar, key.name(), "is not within " + key.bound(), "write a duration of " + key.bound());
      return null;
    }
    return duration;
  }

  boolean flag(FileKey.FlagKey key) {
    return flag(key.name(), key.fallback());
  }

  <E extends Enum<E> & Keyword> E keyword(FileKey.KeywordKey<E> key) {
    E keyword = keywordOrNull(key.name(), key.fallback().getDeclaringClass());
    return keyword == null ? key.fallback() : keyword;
  }

  <E extends Enum<E> & Keyword> @Nullable E keywordOrNull(FileKey.OptionalKeywordKey<E> key) {
    return keywordOrNull(key.name(), key.words());
  }

  @Nullable String textOrNull(FileKey.TextKey key) {
    return textOrNull(key.name(), key.maxLength());
  }

  int integer(String key, int fallback, int least, int most) {
    return parsed(
        key,
        fallback,
        text -> INTEGER.matcher(text).matches() ? inRange(text, least, most) : Optional.empty(),
        "is not a whole number from " + least + " to " + most,
        "write a number from " + least + " to " + most);
  }

  private static Optional<Integer> inRange(String text, int least, int most) {
    int number = Integer.parseInt(text);
    return number >= least && number <= most ? Optional.of(number) : Optional.empty();
  }

  long bytes(String key) {
    return parsed(
        key, 0L, ByteText::parse, "is not an amount of memory", "write for example 16GiB");
  }

  long cpuMillis(String key) {
    return parsed(key, 0L, CpuText::parse, "is not a number of CPUs", "write for example 4 or 0.5");
  }

  Duration duration(String key, Duration fallback) {
    return parsed(
        key,
        fallback,
        DurationText::parse,
        "is not a duration",
        "write for example 90s, 15m or 2h");
  }

  boolean flag(String key, boolean fallback) {
    return parsed(
        key,
        fallback,
        text ->
            text.equals("true") || text.equals("false")
                ? Optional.of(text.equals("true"))
                : Optional.empty(),
        "is neither true nor false",
        "write true or false");
  }

  @Nullable BigDecimal decimalOrNull(String key) {
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar == null) {
      return null;
    }
    if (!DECIMAL.matcher(scalar.text()).matches()) {
      bad(scalar, key, "is not a price", "write a decimal number such as 1.20");
      return null;
    }
    return new BigDecimal(scalar.text());
  }

  <E extends Enum<E> & Keyword> @Nullable E keywordOrNull(String key, Class<E> type) {
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar == null) {
      return null;
    }
    E[] constants = type.getEnumConstants();
    for (E constant : constants) {
      if (constant.keyword().equals(scalar.text())) {
        return constant;
      }
    }
    List<String> words = Arrays.stream(constants).map(Keyword::keyword).toList();
    String next = NearestName.suggestion(scalar.text(), words).orElse(EnglishText.either(words));
    bad(scalar, key, "is not one of " + String.join(", ", words), next);
    return null;
  }

  private <T> T parsed(
      String key, T fallback, Function<String, Optional<T>> parser, String wrong, String next) {
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar == null) {
      return fallback;
    }
    Optional<T> value = parser.apply(scalar.text());
    if (value.isEmpty()) {
      bad(scalar, key, wrong, next);
    }
    return value.orElse(fallback);
  }

  private boolean checkedId(YamlTree.Scalar scalar, String field) {
    if (isId(scalar.text())) {
      return true;
    }
    fields
        .problems()
        .add(
            problem("BAD_NAME", "\"" + scalar.text() + "\" cannot be a name", scalar, field)
                .note("not a name")
                .next(ID_RULE));
    return false;
  }

  void bad(YamlTree.Scalar scalar, String key, String wrong, String next) {
    badAt(scalar, fields.path(key), wrong, next);
  }

  private void badAt(YamlTree.Scalar scalar, String field, String wrong, String next) {
    fields
        .problems()
        .add(
            problem("BAD_VALUE", "\"" + scalar.text() + "\" " + wrong, scalar, field)
                .note(wrong)
                .next(next));
  }

  private static Problem problem(
      String reason, String message, YamlTree.Scalar scalar, String field) {
    return Problem.of(reason, message, scalar.span(), field).value(scalar.text());
  }
}
