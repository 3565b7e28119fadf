package io.headgate.sdk.config;

import java.util.List;
import java.util.TreeSet;

/// The value of a field as text, for people and for comparison.
public sealed interface FieldText {
  /// The field is not set.
  FieldText NONE = new Value("");

  boolean isEmpty();

  /// One value.
  record Value(String text) implements FieldText {
    @Override
    public boolean isEmpty() {
      return text.isEmpty();
    }

    @Override
    public String toString() {
      return text.isEmpty() ? "-" : text;
    }
  }

  /// Names whose order matters.
  record Ordered(List<String> names) implements FieldText {
    public Ordered {
      names = List.copyOf(names);
    }

    @Override
    public boolean isEmpty() {
      return names.isEmpty();
    }

    @Override
    public String toString() {
      return names.isEmpty() ? "-" : String.join(", ", names);
    }
  }

  /// Names whose order does not matter; sorted.
  record Unordered(List<String> names) implements FieldText {
    public Unordered {
      names = List.copyOf(new TreeSet<>(names));
    }

    @Override
    public boolean isEmpty() {
      return names.isEmpty();
    }

    @Override
    public String toString() {
      return names.isEmpty() ? "-" : String.join(", ", names);
    }
  }
}
