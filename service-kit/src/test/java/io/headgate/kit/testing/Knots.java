package io.headgate.kit.testing;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/// Bounds on mutual dependency: a reader who opens one file of a knot has to read all of it. A knot
/// is a strongly connected component of the graph of dependencies.
public final class Knots {
  /// The most source files that may depend on each other.
  public static final int MOST_FILES = 6;

  private Knots() {}

  /// Allows no packages below `root` that depend on each other.
  public static ArchRule noneOfPackages(String root) {
    return rule(root, "packages", JavaClass::getPackageName, 1);
  }

  /// Allows no knot of more source files than `most`.
  public static ArchRule ofFilesAtMost(String root, int most) {
    return rule(root, "files", Knots::file, most);
  }

  /// The name of the top-level class that a class belongs to.
  private static String file(JavaClass type) {
    String name = type.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static ArchRule rule(
      String root, String what, Function<JavaClass, String> key, int most) {
    return ArchRuleDefinition.classes()
        .that()
        .resideInAPackage(root + "..")
        .and()
        .resideOutsideOfPackage(root + ".store.jooq..")
        .should(
            new ArchCondition<>("form no knot of more than " + most + " " + what) {
              private Map<String, SortedSet<String>> arrows = Map.of();
              private Map<String, JavaClass> examples = Map.of();

              @Override
              public void init(Collection<JavaClass> classes) {
                examples = new HashMap<>();
                classes.forEach(type -> examples.putIfAbsent(key.apply(type), type));
                arrows = arrows(classes, key, examples);
              }

              @Override
              public void check(JavaClass type, ConditionEvents events) {}

              @Override
              public void finish(ConditionEvents events) {
                for (SortedSet<String> knot : new Components(arrows).all()) {
                  if (knot.size() > most) {
                    String message =
                        "%d %s depend on each other: %s".formatted(knot.size(), what, knot);
                    events.add(SimpleConditionEvent.violated(examples.get(knot.first()), message));
                  }
                }
              }
            })
        .because("one can only be understood with all of the others");
  }

  private static SortedMap<String, SortedSet<String>> arrows(
      Collection<JavaClass> classes, Function<JavaClass, String> key, Map<String, ?> known) {
    SortedMap<String, SortedSet<String>> arrows = new TreeMap<>();
    for (JavaClass type : classes) {
      SortedSet<String> targets = arrows.computeIfAbsent(key.apply(type), any -> new TreeSet<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String target = key.apply(dependency.getTargetClass().getBaseComponentType());
        if (known.containsKey(target)) {
          targets.add(target);
        }
      }
    }
    return arrows;
  }

  /// Strongly connected components by Tarjan's algorithm.
  private static final class Components {
    private final Map<String, SortedSet<String>> arrows;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final List<SortedSet<String>> components = new ArrayList<>();

    Components(Map<String, SortedSet<String>> arrows) {
      this.arrows = arrows;
    }

    List<SortedSet<String>> all() {
      for (String name : arrows.keySet()) {
        if (!numbers.containsKey(name)) {
          visit(name);
        }
      }
      return components;
    }

    private void visit(String name) {
      int number = numbers.size();
      numbers.put(name, number);
      lowest.put(name, number);
      open.push(name);
      for (String next : arrows.get(name)) {
        if (!numbers.containsKey(next)) {
          visit(next);
          lowest.merge(name, lowest.get(next), Math::min);
        } else if (open.contains(next)) {
          lowest.merge(name, numbers.get(next), Math::min);
        }
      }
      if (lowest.get(name) == number) {
        close(name);
      }
    }

    private void close(String name) {
      SortedSet<String> component = new TreeSet<>();
      String last;
      do {
        last = open.pop();
        component.add(last);
      } while (!last.equals(name));
      components.add(component);
    }
  }
}
