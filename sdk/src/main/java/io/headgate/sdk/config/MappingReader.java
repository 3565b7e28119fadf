package io.headgate.sdk.config;

import io.headgate.type.NearestName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Reads one mapping of a file and records the place of every key.
///
/// Every accessor returns a usable value and reports a [Problem] when the file has none. Thereby
/// reading continues and all mistakes are reported together.
final class MappingReader {
  /// A single value in a list, with its full path.
  record Element(String field, YamlTree.Scalar scalar) {}

  private final Map<String, YamlTree> values = new LinkedHashMap<>();
  private final String path;
  private final Span span;
  private final Problems problems;
  private final SourceMap sourceMap;
  private final String what;
  private boolean hasUnknownKeys;
  private boolean isMapping = true;

  private MappingReader(
      Span span, String path, Problems problems, SourceMap sourceMap, String what) {
    this.span = span;
    this.path = path;
    this.what = what;
    this.problems = problems;
    this.sourceMap = sourceMap;
  }

  /// The top of a file.
  ///
  /// @param what kind of file, for messages
  static MappingReader root(
      YamlTree tree, Problems problems, SourceMap sourceMap, String what, List<String> keys) {
    MappingReader fields = new MappingReader(tree.span(), "", problems, sourceMap, what);
    fields.fill(tree, keys);
    return fields;
  }

  /// A mapping inside a file whose other parts are read elsewhere.
  static MappingReader at(
      YamlTree tree, String path, Problems problems, SourceMap sourceMap, List<String> keys) {
    MappingReader fields = new MappingReader(tree.span(), path, problems, sourceMap, path);
    fields.fill(tree, keys);
    return fields;
  }

  String path() {
    return path;
  }

  /// The full path of one of its keys.
  String path(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  Span span() {
    return span;
  }

  Problems problems() {
    return problems;
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  /// Whether it is a mapping; if not, that was reported.
  boolean isMapping() {
    return isMapping;
  }

  /// Whether an unknown key was reported. A missing key may then just be mistyped.
  boolean hasUnknownKeys() {
    return hasUnknownKeys;
  }

  /// The value of a key; null when it is absent or empty (`key:` and `key: null` mean absent).
  @Nullable YamlTree value(String key) {
    YamlTree tree = values.get(key);
    return tree instanceof YamlTree.Scalar scalar && scalar.isNull() ? null : tree;
  }

  /// The single value of a key; null when it is absent, and when it is a list or mapping
  /// (reported).
  YamlTree.@Nullable Scalar scalar(String key) {
    return switch (value(key)) {
      case null -> null;
      case YamlTree.Scalar scalar -> scalar;
      case YamlTree other -> {
        wrongType(other, path(key), "a single value");
        yield null;
      }
    };
  }

  void missing(String key, String next) {
    if (!isMapping) {
      // The wrong type was reported already.
      return;
    }
    problems.add(
        Problem.of(
                "MISSING_KEY",
                (path.isEmpty() ? "the file" : path) + " has no " + key,
                span,
                path(key))
            .next(next));
  }

  /// The mapping under a key; null when absent.
  @Nullable MappingReader nested(String key, List<String> keys) {
    YamlTree tree = value(key);
    if (tree == null) {
      return null;
    }
    MappingReader fields =
        new MappingReader(tree.span(), path(key), problems, sourceMap, path(key));
    fields.fill(tree, keys);
    return fields;
  }

  /// The mappings in the list under a key. Paths contain the name of each: `pools[onprem]`.
  List<MappingReader> items(String key, List<String> keys) {
    List<MappingReader> items = new ArrayList<>();
    int index = 0;
    for (YamlTree tree : list(key)) {
      String label = nameOf(tree);
      String itemPath = path(key) + "[" + (label == null ? index : label) + "]";
      MappingReader item = new MappingReader(tree.span(), itemPath, problems, sourceMap, itemPath);
      sourceMap.put(itemPath, tree.span());
      item.fill(tree, keys);
      items.add(item);
      index++;
    }
    return items;
  }

  /// The single values in the list under a key, each with its place.
  List<Element> elements(String key) {
    List<Element> elements = new ArrayList<>();
    int index = 0;
    for (YamlTree tree : list(key)) {
      String itemPath = path(key) + "[" + index++ + "]";
      sourceMap.put(itemPath, tree.span());
      if (tree instanceof YamlTree.Scalar scalar && !scalar.isNull()) {
        elements.add(new Element(itemPath, scalar));
      } else {
        wrongType(tree, itemPath, "a name");
      }
    }
    return elements;
  }

  private List<YamlTree> list(String key) {
    return switch (value(key)) {
      case null -> List.of();
      case YamlTree.Sequence sequence -> sequence.items();
      case YamlTree other -> {
        wrongType(other, path(key), "a list");
        yield List.of();
      }
    };
  }

  /// The keys and single values of the mapping under a key; any key is allowed.
  Map<String, String> texts(String key) {
    Map<String, String> texts = new LinkedHashMap<>();
    switch (value(key)) {
      case null -> {}
      case YamlTree.Mapping mapping -> {
        for (YamlTree.Entry entry : mapping.entries()) {
          String entryPath = path(key) + "." + entry.key();
          sourceMap.put(entryPath, entry.value().span());
          if (!(entry.value() instanceof YamlTree.Scalar scalar)) {
            wrongType(entry.value(), entryPath, "a single value");
          } else if (texts.putIfAbsent(entry.key(), scalar.text()) != null) {
            duplicateKey(entry, entryPath);
          }
        }
      }
      case YamlTree other -> wrongType(other, path(key), "a mapping");
    }
    return texts;
  }

  private void wrongType(YamlTree tree, String field, String wanted) {
    if (problems.clean(field)) {
      problems.add(
          Problem.of("WRONG_TYPE", field + " must be " + wanted, tree.span(), field)
              .note("this is " + tree.kind())
              .next(
                  switch (wanted) {
                    case "a list" -> "put it in brackets: […]";
                    case "a mapping", "a mapping of keys to values" -> "write {KEY: VALUE, …}";
                    default -> "write one value, without brackets and braces";
                  }));
    }
  }

  private void fill(YamlTree tree, List<String> keys) {
    if (!(tree instanceof YamlTree.Mapping mapping)) {
      wrongType(tree, path.isEmpty() ? "the file" : path, "a mapping of keys to values");
      isMapping = false;
      return;
    }
    Set<String> duplicates = new TreeSet<>();
    for (YamlTree.Entry entry : mapping.entries()) {
      String field = path(entry.key());
      if (!keys.contains(entry.key())) {
        hasUnknownKeys = true;
        unknownKey(entry, field, keys);
      } else if (values.putIfAbsent(entry.key(), entry.value()) == null) {
        sourceMap.put(field, entry.value().span());
      } else if (duplicates.add(entry.key())) {
        duplicateKey(entry, field);
      }
    }
  }

  private void unknownKey(YamlTree.Entry entry, String field, List<String> keys) {
    String next = NearestName.suggestion(entry.key(), keys).orElse(EnglishText.either(keys));
    problems.add(
        Problem.of("UNKNOWN_KEY", "unknown key \"" + entry.key() + "\"", entry.keySpan(), field)
            .value(entry.key())
            .note("not a key of " + what)
            .next(next));
  }

  private void duplicateKey(YamlTree.Entry entry, String field) {
    problems.add(
        Problem.of(
                "DUPLICATE_KEY",
                "key \"" + entry.key() + "\" is given twice",
                entry.keySpan(),
                field)
            .value(entry.key())
            .note("the second one")
            .next("keep one of them"));
  }

  static @Nullable String nameOf(YamlTree tree) {
    if (tree instanceof YamlTree.Mapping mapping) {
      for (YamlTree.Entry entry : mapping.entries()) {
        if (entry.key().equals("name")
            && entry.value() instanceof YamlTree.Scalar name
            && ValueReader.isId(name.text())) {
          return name.text();
        }
      }
    }
    return null;
  }
}
