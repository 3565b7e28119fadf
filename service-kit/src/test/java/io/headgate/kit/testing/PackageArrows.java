package io.headgate.kit.testing;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The dependencies that a module allows between its packages.
///
/// ```java
/// PackageArrows.only("io.headgate.pool", Map.of("core.draft", Set.of("core", "core.name")))
/// ```
public final class PackageArrows {
  private PackageArrows() {}

  /// Allows no dependency between packages below `root` but these. A package that is not listed
  /// belongs to the nearest listed package above it; all packages must belong to one.
  ///
  /// @param allowed packages that a package may depend on; names without `root`, empty for `root`
  public static ArchRule only(String root, Map<String, Set<String>> allowed) {
    return ArchRuleDefinition.classes()
        .that()
        .resideInAPackage(root + "..")
        .should(
            new ArchCondition<>("depend only on " + allowed) {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                Optional<String> from = listed(root, allowed.keySet(), type.getPackageName());
                if (from.isEmpty()) {
                  events.add(
                      SimpleConditionEvent.violated(
                          type, type.getName() + " is in no listed package"));
                  return;
                }
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                  String target = dependency.getTargetClass().getPackageName();
                  Optional<String> to = listed(root, allowed.keySet(), target);
                  if (to.isPresent()
                      && !to.equals(from)
                      && !allowed.get(from.get()).contains(to.get())) {
                    events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                  }
                }
              }
            });
  }

  private static Optional<String> listed(String root, Set<String> names, String packageName) {
    return names.stream()
        .filter(name -> {
          String full = name.isEmpty() ? root : root + "." + name;
          return packageName.equals(full)
              || (!name.isEmpty() && packageName.startsWith(full + "."));
        })
        .max(Comparator.comparingInt(String::length));
  }
}
