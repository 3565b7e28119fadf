package io.headgate.scheduler.core;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headgate.kit.testing.LayerRules;
import io.headgate.scheduler.core.placement.PlacementPolicy;
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
                    ROOT + ".core.rights..")
                .and(not(assignableTo(PlacementPolicy.class))))
        .because("the shell knows the records, SchedulerCore and the names of placements only")
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void theSimulationIsAsPureAsTheCore() {
    classes()
        .that()
        .resideInAPackage(ROOT + ".simulation..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                ROOT + ".simulation..",
                ROOT + ".core..",
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
        .because("the same scenario has the same output on any machine")
        .check(CLASSES);
  }

  @Test
  void onlyAnswersToWhatIfDependOnTheSimulation() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".simulation..")
        .and()
        .doNotHaveSimpleName("PlanEndpoint")
        .and()
        .doNotHaveSimpleName("PlanMapper")
        .should()
        .dependOnClassesThat(resideInAnyPackage(ROOT + ".simulation.."))
        .check(CLASSES);
  }

  @Test
  void packagesOfTheCoreHaveNoCycles() {
    slices().matching(ROOT + ".core.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
