package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A configuration that changes in the course of a scenario. Every change is merged into the file's
/// own tree, and the whole tree is read again. Thereby a changed configuration obeys the same rules
/// as a written one.
final class ConfigurationTree {
  private static final List<String> PROVISIONED = List.of("pools", "profiles");
  private static final Map<String, String> SECTIONS =
      Map.of(
          "policy",
          "policies",
          "pool",
          "pools",
          "profile",
          "profiles",
          "tenant",
          "tenants",
          "department",
          "departments");

  private final Problems problems;

  /// Mistakes of the initial configuration. They are reported once, and not again for each change.
  private final List<Problem> known;

  private YamlTree.Mapping tree;
  private Configuration configuration;

  private ConfigurationTree(YamlTree.Mapping tree, Configuration configuration, Problems problems) {
    this.tree = tree;
    this.configuration = configuration;
    this.problems = problems;
    this.known = problems.inFileOrder();
  }

  /// Reads the initial configuration of a scenario; empty when it is missing, which is reported.
  static Optional<ConfigurationTree> read(MappingReader root, SourceMap sourceMap) {
    YamlTree value = root.value("configuration");
    if (value == null) {
      root.missing("configuration", "give its pools, profiles and policies");
      return Optional.empty();
    }
    Problems problems = root.problems();
    MappingReader fields =
        MappingReader.at(
            value, "configuration", problems, sourceMap, ScenarioKeys.CONFIGURATION.names());
    return value instanceof YamlTree.Mapping mapping
        ? Optional.of(
            new ConfigurationTree(mapping, ConfigurationReader.body(fields, true), problems))
        : Optional.empty();
  }

  Configuration configuration() {
    return configuration;
  }

  boolean hasGroups() {
    return find(tree, "groups").isPresent();
  }

  /// `set: {policy: rnd, limit: 3}`.
  void set(YamlTree change, String path) {
    if (!(change instanceof YamlTree.Mapping mapping)) {
      problems.add(
          Problem.of("WRONG_TYPE", path + " must be a mapping", change.span(), path)
              .note("this is " + change.kind())
              .next("write for example set: {policy: NAME, limit: 3}"));
      return;
    }
    Optional<String> kind = kind(mapping);
    if (kind.isEmpty()) {
      problems.add(
          Problem.of("MISSING_KEY", path + " does not say what it changes", change.span(), path)
              .note("names no policy, pool, profile, queue, department or tenant")
              .next("write for example set: {policy: NAME, limit: 3}"));
      return;
    }
    if (!isWellFormed(mapping, path)) {
      return;
    }
    Optional<YamlTree.Mapping> changed =
        kind.get().equals("queue")
            ? changedQueue(mapping, path)
            : changedItem(mapping, kind.get(), path);
    String name = scalar(mapping, kind.get(), path).orElse("");
    String item = "%s[%s]".formatted(SECTIONS.getOrDefault(kind.get(), "queues"), name);
    changed.ifPresent(result -> adopt(result, change, path, item));
  }

  /// `provision: {pools: […], profiles: […]}` replaces the named sections.
  void provision(YamlTree change, String path, MappingReader fields) {
    if (!(change instanceof YamlTree.Mapping mapping) || fields.hasUnknownKeys()) {
      return;
    }
    if (PROVISIONED.stream().noneMatch(fields::has)) {
      problems.add(
          Problem.of("MISSING_KEY", path + " provisions nothing", change.span(), path)
              .note("has neither pools nor profiles")
              .next("give pools: […], profiles: […] or both"));
      return;
    }
    YamlTree.Mapping result = tree;
    for (YamlTree.Entry entry : mapping.entries()) {
      if (PROVISIONED.contains(entry.key())) {
        result = with(result, entry);
      }
    }
    adopt(result, change, path, "configuration");
  }

  static List<String> provisioned() {
    return PROVISIONED;
  }

  /// Refuses duplicate keys, and new names, because they would break every reference to the old
  /// name.
  private boolean isWellFormed(YamlTree.Mapping change, String path) {
    List<String> keys = change.entries().stream().map(YamlTree.Entry::key).distinct().toList();
    Problems found = new Problems(problems.fileName());
    MappingReader.at(change, path, found, new SourceMap(), keys);
    for (YamlTree.Entry entry : change.entries()) {
      if (entry.key().equals("name")) {
        found.add(
            Problem.of("UNKNOWN_KEY", "a name cannot be changed", entry.keySpan(), path + ".name")
                .value("name")
                .note("objects keep their names")
                .next("provision a new object with the other name"));
      }
    }
    found.inFileOrder().forEach(problems::add);
    return found.inFileOrder().isEmpty();
  }

  private static Optional<String> kind(YamlTree.Mapping mapping) {
    // A policy has a department and a tenant, so these two come last.
    for (String kind : List.of("queue", "pool", "profile", "policy", "department", "tenant")) {
      if (find(mapping, kind).isPresent()) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  private Optional<YamlTree.Mapping> changedItem(
      YamlTree.Mapping change, String kind, String path) {
    String section = SECTIONS.getOrDefault(kind, "");
    Optional<String> name = scalar(change, kind, path);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    YamlTree items = find(tree, section).orElse(new YamlTree.Sequence(tree.span(), List.of()));
    Optional<YamlTree.Sequence> changed =
        items instanceof YamlTree.Sequence sequence
            ? laidOver(sequence, name.get(), change, Set.of(kind))
            : Optional.empty();
    if (changed.isEmpty()) {
      notFound(change, kind, path, names(items));
      return Optional.empty();
    }
    return Optional.of(with(tree, new YamlTree.Entry(section, tree.span(), changed.get())));
  }

  /// A queue is part of its policy.
  private Optional<YamlTree.Mapping> changedQueue(YamlTree.Mapping change, String path) {
    Optional<String> name = scalar(change, "queue", path);
    Optional<YamlTree> policy = find(change, "policy");
    YamlTree policies = find(tree, "policies").orElse(tree);
    if (name.isEmpty() || !(policies instanceof YamlTree.Sequence sequence)) {
      return Optional.empty();
    }
    List<String> known = new ArrayList<>();
    List<YamlTree> items = new ArrayList<>();
    boolean found = false;
    for (YamlTree item : sequence.items()) {
      YamlTree queues = find(item, "queues").orElse(null);
      boolean meant =
          policy.isEmpty()
              || (policy.get() instanceof YamlTree.Scalar scalar
                  && scalar.text().equals(MappingReader.nameOf(item)));
      known.addAll(queues == null || !meant ? List.of() : names(queues));
      Optional<YamlTree.Sequence> changed =
          meant && queues instanceof YamlTree.Sequence list
              ? laidOver(list, name.get(), change, Set.of("queue", "policy"))
              : Optional.empty();
      found |= changed.isPresent();
      items.add(
          changed.isPresent() && item instanceof YamlTree.Mapping mapping
              ? with(mapping, new YamlTree.Entry("queues", mapping.span(), changed.get()))
              : item);
    }
    if (!found) {
      notFound(change, "queue", path, known);
      return Optional.empty();
    }
    return Optional.of(
        with(
            tree,
            new YamlTree.Entry(
                "policies", tree.span(), new YamlTree.Sequence(sequence.span(), items))));
  }

  private static Optional<YamlTree.Sequence> laidOver(
      YamlTree.Sequence items, String name, YamlTree.Mapping change, Set<String> selectors) {
    List<YamlTree> result = new ArrayList<>();
    boolean found = false;
    for (YamlTree item : items.items()) {
      if (item instanceof YamlTree.Mapping mapping
          && name.equals(MappingReader.nameOf(item))
          && !found) {
        found = true;
        for (YamlTree.Entry entry : change.entries()) {
          if (!selectors.contains(entry.key())) {
            mapping = with(mapping, entry);
          }
        }
        result.add(mapping);
      } else {
        result.add(item);
      }
    }
    return found ? Optional.of(new YamlTree.Sequence(items.span(), result)) : Optional.empty();
  }

  private Optional<String> scalar(YamlTree.Mapping change, String key, String path) {
    YamlTree value = find(change, key).orElseThrow();
    if (value instanceof YamlTree.Scalar scalar && !scalar.isNull()) {
      return Optional.of(scalar.text());
    }
    problems.add(
        Problem.of("WRONG_TYPE", path + "." + key + " must be a name", value.span(), path)
            .note("this is " + value.kind()));
    return Optional.empty();
  }

  private void notFound(YamlTree.Mapping change, String kind, String path, List<String> names) {
    if (find(change, kind).orElseThrow() instanceof YamlTree.Scalar scalar) {
      DeclaredNames.of(kind, names).check(scalar, path + "." + kind, problems);
    }
  }

  /// Reads the changed tree and blames new mistakes on the change, because the tree was valid
  /// before.
  ///
  /// @param item path of the changed object, as the fields of its mistakes begin
  private void adopt(YamlTree.Mapping changed, YamlTree change, String path, String item) {
    Problems found = new Problems(problems.fileName());
    MappingReader fields =
        MappingReader.at(
            changed, "configuration", found, new SourceMap(), ScenarioKeys.CONFIGURATION.names());
    Configuration read = ConfigurationReader.body(fields, true);
    List<Problem> mistakes =
        found.inFileOrder().stream().filter(mistake -> !known.contains(mistake)).toList();
    if (mistakes.isEmpty()) {
      tree = changed;
      configuration = read;
      return;
    }
    Set<Span> own = new HashSet<>();
    collect(change, own);
    for (Problem mistake : mistakes) {
      problems.add(
          own.contains(mistake.span())
              ? inside(mistake, path, item)
              : moved(mistake, change, path));
    }
  }

  private static Problem inside(Problem mistake, String path, String item) {
    String field = mistake.field();
    int begin = field.indexOf(item + ".");
    String key =
        begin < 0
            ? field.substring(field.lastIndexOf('.'))
            : field.substring(begin + item.length());
    return mistake.at(mistake.span(), path + key);
  }

  private static Problem moved(Problem mistake, YamlTree change, String path) {
    String note = mistake.note() == null ? "after this change" : "then " + mistake.note();
    return mistake
        .at(change.span(), path)
        .note(note)
        .why("it would make " + mistake.field() + " wrong");
  }

  private static void collect(@Nullable YamlTree tree, Set<Span> spans) {
    switch (tree) {
      case null -> {}
      case YamlTree.Scalar scalar -> spans.add(scalar.span());
      case YamlTree.Sequence sequence -> sequence.items().forEach(item -> collect(item, spans));
      case YamlTree.Mapping mapping -> {
        spans.add(mapping.span());
        for (YamlTree.Entry entry : mapping.entries()) {
          spans.add(entry.keySpan());
          collect(entry.value(), spans);
        }
      }
    }
  }

  private static List<String> names(YamlTree items) {
    List<String> names = new ArrayList<>();
    if (items instanceof YamlTree.Sequence sequence) {
      for (YamlTree item : sequence.items()) {
        String name = MappingReader.nameOf(item);
        if (name != null) {
          names.add(name);
        }
      }
    }
    return names;
  }

  private static Optional<YamlTree> find(YamlTree tree, String key) {
    if (tree instanceof YamlTree.Mapping mapping) {
      for (YamlTree.Entry entry : mapping.entries()) {
        if (entry.key().equals(key)
            && !(entry.value() instanceof YamlTree.Scalar scalar && scalar.isNull())) {
          return Optional.of(entry.value());
        }
      }
    }
    return Optional.empty();
  }

  /// Replaces the entry with this key, or appends it.
  private static YamlTree.Mapping with(YamlTree.Mapping mapping, YamlTree.Entry entry) {
    List<YamlTree.Entry> entries = new ArrayList<>();
    boolean replaced = false;
    for (YamlTree.Entry old : mapping.entries()) {
      boolean same = old.key().equals(entry.key());
      entries.add(same ? entry : old);
      replaced |= same;
    }
    if (!replaced) {
      entries.add(entry);
    }
    return new YamlTree.Mapping(mapping.span(), entries);
  }
}
