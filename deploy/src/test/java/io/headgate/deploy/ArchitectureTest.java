package io.headgate.deploy;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headgate.kit.testing.Knots;
import io.headgate.kit.testing.LayerRules;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final String ROOT = "io.headgate.deploy";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @Test
  void packagesAndFilesAreUntied() {
    Knots.noneOfPackages(ROOT).check(CLASSES);
    Knots.ofFilesAtMost(ROOT, Knots.MOST_FILES).check(CLASSES);
  }

  @Test
  void namesSayWhatTheyAre() {
    LayerRules.namesSayWhatTheyAre(ROOT).check(CLASSES);
    LayerRules.packagesAreNullMarked(ROOT).check(CLASSES);
  }

  @Test
  void replaysOfTracesAreAsPureAsTheSimulation() {
    String simulate = ROOT + ".simulate";
    classes()
        .that()
        .resideInAnyPackage(
            simulate + ".openb", simulate + ".replay", simulate + ".trace", simulate + ".placement")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                simulate + ".openb",
                simulate + ".replay",
                simulate + ".trace",
                simulate + ".placement",
                "io.headgate.scheduler.simulation",
                "io.headgate.scheduler.core..",
                "io.headgate.type",
                "java.lang..",
                "java.math",
                "java.time",
                "java.time.format",
                "java.util",
                "java.util.function",
                "java.util.regex",
                "java.util.stream",
                "org.jspecify.annotations"))
        .because("the same trace has the same result on any machine")
        .check(CLASSES);
  }
}
