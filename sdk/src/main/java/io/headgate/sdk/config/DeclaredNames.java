package io.headgate.sdk.config;

import io.headgate.type.NearestName;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The declared names of one kind of object in a file. Finds duplicate declarations and references
/// to missing names.
///
/// A declared name counts even when its object cannot be read, so that one mistake causes no
/// further messages at every reference.
final class DeclaredNames {
  private final String kind;
  private final Set<String> declared = new LinkedHashSet<>();
  private final Map<String, Span> claims = new HashMap<>();

  DeclaredNames(String kind) {
    this.kind = kind;
  }

  static DeclaredNames declaredIn(MappingReader root, String key, String kind) {
    DeclaredNames names = new DeclaredNames(kind);
    if (root.value(key) instanceof YamlTree.Sequence sequence) {
      for (YamlTree tree : sequence.items()) {
        String name = MappingReader.nameOf(tree);
        if (name != null) {
          names.declared.add(name);
        }
      }
    }
    return names;
  }

  /// Names that another part of the file declares.
  static DeclaredNames of(String kind, Collection<String> known) {
    DeclaredNames names = new DeclaredNames(kind);
    names.declared.addAll(known);
    return names;
  }

  /// Records the name of an item; reports a name that another item has.
  void claim(MappingReader item, String name) {
    YamlTree.Scalar scalar = item.scalar("name");
    if (scalar == null || name.equals(ValueReader.UNREADABLE)) {
      return;
    }
    Span first = claims.putIfAbsent(name, scalar.span());
    if (first != null) {
      item.problems()
          .add(
              Problem.of(
                      "NAME_TAKEN",
                      "%s \"%s\" is declared twice".formatted(kind, name),
                      scalar.span(),
                      item.path("name"))
                  .value(name)
                  .note("taken in line " + first.line())
                  .next("rename or remove one of them"));
    }
  }

  /// Reports a reference to an undeclared name.
  void check(YamlTree.Scalar reference, String field, Problems problems) {
    String name = reference.text();
    if (declared.contains(name) || !problems.clean(field)) {
      return;
    }
    String next =
        NearestName.suggestion(name, declared)
            .orElse(
                declared.isEmpty()
                    ? "declare it under its own section"
                    : EnglishText.either(List.copyOf(declared)));
    problems.add(
        Problem.of(
                kind.toUpperCase(java.util.Locale.ROOT).replace(' ', '_') + "_NOT_FOUND",
                "%s \"%s\" is not declared in this file".formatted(kind, name),
                reference.span(),
                field)
            .value(name)
            .note("no such " + kind)
            .next(next));
  }
}
