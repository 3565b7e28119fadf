package io.headgate.pool.core;

import io.headgate.kit.decision.Problems;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PoolId;
import io.headgate.type.GpuQuantity;
import io.headgate.type.InexactQuantityException;
import io.headgate.type.MalformedQuantityException;
import io.headgate.type.NameRule;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Checks single fields. Each empty result has added a problem.
public final class FieldChecks {
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Problems<Denial> problems;

  public FieldChecks(Problems<Denial> problems) {
    this.problems = problems;
  }

  /// The id in `value`.
  public <T> Optional<T> id(String field, Kind kind, String value, Function<String, T> toId) {
    if (!NameRule.isValid(value)) {
      problems.add(new Denial.InvalidName(field, kind, value));
      return Optional.empty();
    }
    return Optional.of(toId.apply(value));
  }

  /// The ids in `values`; duplicates are problems.
  public <T> List<T> ids(String field, Kind kind, List<String> values, Function<String, T> toId) {
    List<T> ids = new ArrayList<>(values.size());
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < values.size(); i++) {
      String path = field + "[" + i + "]";
      if (!seen.add(values.get(i))) {
        problems.add(new Denial.Duplicate(path, kind, values.get(i)));
      } else {
        id(path, kind, values.get(i), toId).ifPresent(ids::add);
      }
    }
    return ids;
  }

  /// The pools in `values`, own and shared ones; duplicates are problems.
  public List<PoolId> pools(String field, List<String> values) {
    List<PoolId> pools = new ArrayList<>(values.size());
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < values.size(); i++) {
      String path = field + "[" + i + "]";
      String value = values.get(i);
      if (!seen.add(value)) {
        problems.add(new Denial.Duplicate(path, Kind.POOL, value));
      } else if (PoolId.isShared(value)) {
        pools.add(new PoolId(value));
      } else {
        id(path, Kind.POOL, value, PoolId::new).ifPresent(pools::add);
      }
    }
    return pools;
  }

  /// The exact quantity in `text`.
  public Optional<GpuQuantity> quantity(String field, String text) {
    try {
      return Optional.of(GpuQuantity.parse(text));
    } catch (InexactQuantityException e) {
      problems.add(new Denial.InexactQuantity(field, text, e.below(), e.above()));
    } catch (MalformedQuantityException _) {
      problems.add(new Denial.MalformedQuantity(field, text));
    }
    return Optional.empty();
  }

  /// Adds a problem unless `value` is from `low` to `high`.
  public void within(String field, long value, long low, long high) {
    if (value < low || value > high) {
      problems.add(
          new Denial.OutOfRange(
              field, Long.toString(value), Long.toString(low), Long.toString(high)));
    }
  }

  /// Adds a problem unless `value` is from 0 to a year in whole milliseconds. A finer value would
  /// be stored rounded.
  public void duration(String field, Duration value) {
    duration(field, value, Duration.ZERO);
  }

  /// Like the other, from `shortest`, which is in whole seconds.
  public void duration(String field, Duration value, Duration shortest) {
    if (value.compareTo(shortest) < 0
        || value.compareTo(LONGEST) > 0
        || !value.equals(value.truncatedTo(ChronoUnit.MILLIS))) {
      problems.add(
          new Denial.OutOfRange(
              field,
              value.toString(),
              shortest.toSeconds() + "s",
              LONGEST.toDays() + "d in whole milliseconds"));
    }
  }

  /// Adds a problem if the text is too long or holds control characters.
  public void text(String field, String value, int maxLength) {
    boolean shown =
        value.chars().noneMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t');
    if (!shown || value.length() > maxLength) {
      problems.add(new Denial.UnfitText(field, value.length(), maxLength));
    }
  }

  /// A single line of text; empty means absent.
  public Optional<String> optionalText(String field, String value, int maxLength) {
    if (value.indexOf('\n') >= 0) {
      problems.add(new Denial.UnfitText(field, value.length(), maxLength));
    } else {
      text(field, value, maxLength);
    }
    return value.isEmpty() ? Optional.empty() : Optional.of(value);
  }
}
