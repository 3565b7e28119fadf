package io.headgate.scheduler.core;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headgate.kit.testing.LayerRules;
import org.junit.jupiter.api.Test;

class CoreArchitectureTest {
  private static final String ROOT = "io.headgate.scheduler";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @Test
  void coreImportsNothingElse() {
    LayerRules.coreIsPure(ROOT).check(CLASSES);
  }

  @Test
  void theEngineIsTheCoresOwn() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".core..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                ROOT + ".core.queue..",
                ROOT + ".core.placement..",
                ROOT + ".core.preemption..",
                ROOT + ".core.rights.."))
        .because("the shell knows the records and SchedulerCore only")
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void packagesOfTheCoreHaveNoCycles() {
    slices().matching(ROOT + ".core.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
