package io.headgate.scheduler;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.headgate.kit.testing.LayerRules;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

final class ArchitectureTest {
  /// Files of `simulation` depend on each other; the number may only shrink.
  private static final int LARGEST_KNOT = 8;

  @TestFactory
  Stream<DynamicTest> layers() {
    return LayerRules.tests("io.headgate.scheduler", LARGEST_KNOT);
  }

  /// Each package of the shell may use only those listed beside it, which come before it.
  @TestFactory
  Stream<DynamicTest> runtimePackages() {
    Map<String, List<String>> allowed = new LinkedHashMap<>();
    allowed.put("record", List.of());
    allowed.put("catalog", List.of("record"));
    allowed.put("submission", List.of("record", "catalog"));
    allowed.put("text", List.of("record", "catalog"));
    allowed.put("agent", List.of("record", "catalog"));
    allowed.put("desk", List.of("record", "catalog", "submission", "text", "agent"));
    allowed.put("loop", List.of("record", "catalog", "submission", "agent", "desk"));
    allowed.put("leadership", List.of("record", "catalog", "submission", "agent", "desk", "loop"));
    String root = "io.headgate.scheduler.runtime.";
    JavaClasses shell =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.headgate.scheduler.runtime");
    return allowed.entrySet().stream()
        .map(each -> {
          String[] others =
              allowed.keySet().stream()
                  .filter(name -> !name.equals(each.getKey()) && !each.getValue().contains(name))
                  .map(name -> root + name)
                  .toArray(String[]::new);
          return DynamicTest.dynamicTest(
              each.getKey(),
              () ->
                  ArchRuleDefinition.noClasses()
                      .that()
                      .resideInAPackage(root + each.getKey())
                      .should()
                      .dependOnClassesThat()
                      .resideInAnyPackage(others)
                      .allowEmptyShould(others.length == 0)
                      .check(shell));
        });
  }
}
