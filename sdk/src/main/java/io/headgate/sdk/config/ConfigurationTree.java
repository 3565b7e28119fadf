package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A configuration that changes in the course of a scenario: every change is laid over the file's
/// own text and the whole is read again, so that a changed configuration is held to the same rules
/// as a written one.
final class ConfigurationTree {
  static final List<String> KEYS =
      List.of("tenant", "tenants", "groups", "pools", "profiles", "policies");
  private static final List<String> PROVISIONED = List.of("pools", "profiles");
  private static final Map<String, String> SECTIONS =
      Map.of("policy", "policies", "pool", "pools", "profile", "profiles", "tenant", "tenants");

  private final Problems problems;

  /// What was wrong at the beginning; it is told once, and not again of each change.
  private final List<Problem> known;

  private Tree.Mapping tree;
  private Configuration configuration;

  private ConfigurationTree(Tree.Mapping tree, Configuration configuration, Problems problems) {
    this.tree = tree;
    this.configuration = configuration;
    this.problems = problems;
    this.known = problems.inFileOrder();
  }

  /// Reads the configuration that a scenario begins with. Nothing when there is none (reported).
  static Optional<ConfigurationTree> read(Fields root, SourceMap sourceMap) {
    Tree value = root.value("configuration");
    if (value == null) {
      root.missing("configuration", "give its pools, profiles and policies");
      return Optional.empty();
    }
    Problems problems = root.problems();
    Fields fields = Fields.at(value, "configuration", problems, sourceMap, KEYS);
    return value instanceof Tree.Mapping mapping
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
  void set(Tree change, String path) {
    if (!(change instanceof Tree.Mapping mapping)) {
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
              .note("names no policy, pool, profile, queue or tenant")
              .next("write for example set: {policy: NAME, limit: 3}"));
      return;
    }
    if (!isWellFormed(mapping, path)) {
      return;
    }
    Optional<Tree.Mapping> changed =
        kind.get().equals("queue")
            ? changedQueue(mapping, path)
            : changedItem(mapping, kind.get(), path);
    String name = scalar(mapping, kind.get(), path).orElse("");
    String item = "%s[%s]".formatted(SECTIONS.getOrDefault(kind.get(), "queues"), name);
    changed.ifPresent(result -> adopt(result, change, path, item));
  }

  /// `provision: {pools: […], profiles: […]}`: what is given replaces what was.
  void provision(Tree change, String path, Fields fields) {
    if (!(change instanceof Tree.Mapping mapping) || fields.hasUnknownKeys()) {
      return;
    }
    if (PROVISIONED.stream().noneMatch(fields::has)) {
      problems.add(
          Problem.of("MISSING_KEY", path + " provisions nothing", change.span(), path)
              .note("has neither pools nor profiles")
              .next("give pools: […], profiles: […] or both"));
      return;
    }
    Tree.Mapping result = tree;
    for (Tree.Entry entry : mapping.entries()) {
      if (PROVISIONED.contains(entry.key())) {
        result = with(result, entry);
      }
    }
    adopt(result, change, path, "configuration");
  }

  static List<String> provisioned() {
    return PROVISIONED;
  }

  /// No key twice, and no new name: it would make others of all things that refer to the old one.
  private boolean isWellFormed(Tree.Mapping change, String path) {
    List<String> keys = change.entries().stream().map(Tree.Entry::key).distinct().toList();
    Problems found = new Problems(problems.fileName());
    Fields.at(change, path, found, new SourceMap(), keys);
    for (Tree.Entry entry : change.entries()) {
      if (entry.key().equals("name")) {
        found.add(
            Problem.of("UNKNOWN_KEY", "a name cannot be changed", entry.keySpan(), path + ".name")
                .value("name")
                .note("things keep their names")
                .next("provision a new one beside it"));
      }
    }
    found.inFileOrder().forEach(problems::add);
    return found.inFileOrder().isEmpty();
  }

  private static Optional<String> kind(Tree.Mapping mapping) {
    for (String kind : List.of("queue", "pool", "profile", "policy", "tenant")) {
      if (find(mapping, kind).isPresent()) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  private Optional<Tree.Mapping> changedItem(Tree.Mapping change, String kind, String path) {
    String section = SECTIONS.getOrDefault(kind, "");
    Optional<String> name = scalar(change, kind, path);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Tree items = find(tree, section).orElse(new Tree.Sequence(tree.span(), List.of()));
    Optional<Tree.Sequence> changed =
        items instanceof Tree.Sequence sequence
            ? laidOver(sequence, name.get(), change, Set.of(kind))
            : Optional.empty();
    if (changed.isEmpty()) {
      notFound(change, kind, path, names(items));
      return Optional.empty();
    }
    return Optional.of(with(tree, new Tree.Entry(section, tree.span(), changed.get())));
  }

  /// A queue stands under its policy.
  private Optional<Tree.Mapping> changedQueue(Tree.Mapping change, String path) {
    Optional<String> name = scalar(change, "queue", path);
    Optional<Tree> policy = find(change, "policy");
    Tree policies = find(tree, "policies").orElse(tree);
    if (name.isEmpty() || !(policies instanceof Tree.Sequence sequence)) {
      return Optional.empty();
    }
    List<String> known = new ArrayList<>();
    List<Tree> items = new ArrayList<>();
    boolean found = false;
    for (Tree item : sequence.items()) {
      Tree queues = find(item, "queues").orElse(null);
      boolean meant =
          policy.isEmpty()
              || (policy.get() instanceof Tree.Scalar scalar
                  && scalar.text().equals(Fields.nameOf(item)));
      known.addAll(queues == null || !meant ? List.of() : names(queues));
      Optional<Tree.Sequence> changed =
          meant && queues instanceof Tree.Sequence list
              ? laidOver(list, name.get(), change, Set.of("queue", "policy"))
              : Optional.empty();
      found |= changed.isPresent();
      items.add(
          changed.isPresent() && item instanceof Tree.Mapping mapping
              ? with(mapping, new Tree.Entry("queues", mapping.span(), changed.get()))
              : item);
    }
    if (!found) {
      notFound(change, "queue", path, known);
      return Optional.empty();
    }
    return Optional.of(
        with(
            tree,
            new Tree.Entry("policies", tree.span(), new Tree.Sequence(sequence.span(), items))));
  }

  private static Optional<Tree.Sequence> laidOver(
      Tree.Sequence items, String name, Tree.Mapping change, Set<String> selectors) {
    List<Tree> result = new ArrayList<>();
    boolean found = false;
    for (Tree item : items.items()) {
      if (item instanceof Tree.Mapping mapping && name.equals(Fields.nameOf(item)) && !found) {
        found = true;
        for (Tree.Entry entry : change.entries()) {
          if (!selectors.contains(entry.key())) {
            mapping = with(mapping, entry);
          }
        }
        result.add(mapping);
      } else {
        result.add(item);
      }
    }
    return found ? Optional.of(new Tree.Sequence(items.span(), result)) : Optional.empty();
  }

  private Optional<String> scalar(Tree.Mapping change, String key, String path) {
    Tree value = find(change, key).orElseThrow();
    if (value instanceof Tree.Scalar scalar && !scalar.isNull()) {
      return Optional.of(scalar.text());
    }
    problems.add(
        Problem.of("WRONG_TYPE", path + "." + key + " must be a name", value.span(), path)
            .note("this is " + value.kind()));
    return Optional.empty();
  }

  private void notFound(Tree.Mapping change, String kind, String path, List<String> names) {
    if (find(change, kind).orElseThrow() instanceof Tree.Scalar scalar) {
      Names.of(kind, names).check(scalar, path + "." + kind, problems);
    }
  }

  /// Reads the changed tree. What is wrong with it is the change's mistake: it was right before.
  ///
  /// @param item what is changed, as the fields of its mistakes say
  private void adopt(Tree.Mapping changed, Tree change, String path, String item) {
    Problems found = new Problems(problems.fileName());
    Fields fields = Fields.at(changed, "configuration", found, new SourceMap(), KEYS);
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

  private static Problem moved(Problem mistake, Tree change, String path) {
    String note = mistake.note() == null ? "after this change" : "then " + mistake.note();
    return mistake
        .at(change.span(), path)
        .note(note)
        .why("it would make " + mistake.field() + " wrong");
  }

  private static void collect(@Nullable Tree tree, Set<Span> spans) {
    switch (tree) {
      case null -> {}
      case Tree.Scalar scalar -> spans.add(scalar.span());
      case Tree.Sequence sequence -> sequence.items().forEach(item -> collect(item, spans));
      case Tree.Mapping mapping -> {
        spans.add(mapping.span());
        for (Tree.Entry entry : mapping.entries()) {
          spans.add(entry.keySpan());
          collect(entry.value(), spans);
        }
      }
    }
  }

  private static List<String> names(Tree items) {
    List<String> names = new ArrayList<>();
    if (items instanceof Tree.Sequence sequence) {
      for (Tree item : sequence.items()) {
        String name = Fields.nameOf(item);
        if (name != null) {
          names.add(name);
        }
      }
    }
    return names;
  }

  private static Optional<Tree> find(Tree tree, String key) {
    if (tree instanceof Tree.Mapping mapping) {
      for (Tree.Entry entry : mapping.entries()) {
        if (entry.key().equals(key)
            && !(entry.value() instanceof Tree.Scalar scalar && scalar.isNull())) {
          return Optional.of(entry.value());
        }
      }
    }
    return Optional.empty();
  }

  /// The entry in the place of the one with its key, or at the end.
  private static Tree.Mapping with(Tree.Mapping mapping, Tree.Entry entry) {
    List<Tree.Entry> entries = new ArrayList<>();
    boolean replaced = false;
    for (Tree.Entry old : mapping.entries()) {
      boolean same = old.key().equals(entry.key());
      entries.add(same ? entry : old);
      replaced |= same;
    }
    if (!replaced) {
      entries.add(entry);
    }
    return new Tree.Mapping(mapping.span(), entries);
  }
}
