package io.headgate.sdk.config;

import io.headgate.type.NearestName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Names declared one by one or in series (`r` five times: `r-0` to `r-4`). A series takes constant
/// memory.
final class NumberedNames {
  private static final Pattern NUMBERED = Pattern.compile("(.+)-(0|[1-9]\\d{0,8})");

  private final Map<String, Span> single = new HashMap<>();
  private final Map<String, List<Series>> numbered = new HashMap<>();

  private record Series(int count, Span span) {}

  /// Declares names.
  ///
  /// @return the place of an earlier declaration of one of them, if any
  Optional<Span> add(String name, int count, Span span) {
    Optional<Span> taken = Optional.empty();
    if (count == 1) {
      taken = find(name);
      single.putIfAbsent(name, span);
      return taken;
    }
    for (int i = 0; i < count && taken.isEmpty(); i++) {
      taken = find(name + "-" + i);
    }
    numbered.computeIfAbsent(name, key -> new ArrayList<>()).add(new Series(count, span));
    return taken;
  }

  /// Where the name was declared.
  Optional<Span> find(String name) {
    Span one = single.get(name);
    if (one != null) {
      return Optional.of(one);
    }
    Matcher matcher = NUMBERED.matcher(name);
    if (matcher.matches()) {
      int index = Integer.parseInt(matcher.group(2));
      for (Series group : numbered.getOrDefault(matcher.group(1), List.of())) {
        if (index < group.count()) {
          return Optional.of(group.span());
        }
      }
    }
    return Optional.empty();
  }

  /// A hint for a name that does not exist.
  Optional<String> suggestion(String name) {
    List<String> some = new ArrayList<>(single.keySet());
    numbered.forEach((base, groups) -> {
      int count = groups.getFirst().count();
      some.add(base + "-0");
      some.add(base + "-" + (count - 1));
    });
    some.sort(null);
    return NearestName.suggestion(name, some);
  }
}
