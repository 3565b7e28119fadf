package io.headgate.sdk.config;

import java.util.List;

/// YAML or JSON as a tree that remembers where each part stood.
sealed interface YamlTree {
  /// The value's place; of a collection, the place where it begins.
  Span span();

  /// The kind of node, for messages.
  String kind();

  /// Keys and values in file order; duplicate keys are still there.
  record Mapping(Span span, List<Entry> entries) implements YamlTree {
    public Mapping {
      entries = List.copyOf(entries);
    }

    @Override
    public String kind() {
      return "a mapping";
    }
  }

  /// One key with its value.
  record Entry(String key, Span keySpan, YamlTree value) {}

  record Sequence(Span span, List<YamlTree> items) implements YamlTree {
    public Sequence {
      items = List.copyOf(items);
    }

    @Override
    public String kind() {
      return "a list";
    }
  }

  /// A single value.
  ///
  /// @param plain written without quotes, so that `true` and `null` mean what they say
  record Scalar(Span span, String text, boolean plain) implements YamlTree {
    @Override
    public String kind() {
      return isNull() ? "empty" : "a single value";
    }

    boolean isNull() {
      return plain && (text.isEmpty() || text.equals("null") || text.equals("~"));
    }
  }
}
