package io.headgate.agent;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures;
import io.headgate.kit.testing.LayerRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class LayersTest {
  private static final String ROOT = "io.headgate.agent";
  private static final String RUNTIME = ROOT + ".runtime";

  private final JavaClasses main =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @TestFactory
  Stream<DynamicTest> layers() {
    return LayerRules.tests(ROOT);
  }

  /// The packages of the runtime, from the loop down to the records.
  @Test
  void runtimePackagesDependDownwards() {
    Architectures.layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage(RUNTIME + "..")
        .layer("loop")
        .definedBy(RUNTIME)
        .layer("host")
        .definedBy(RUNTIME + ".host")
        .layer("pod")
        .definedBy(RUNTIME + ".pod")
        .layer("attempt")
        .definedBy(RUNTIME + ".attempt")
        .layer("output")
        .definedBy(RUNTIME + ".output")
        .layer("telemetry")
        .definedBy(RUNTIME + ".telemetry")
        .layer("watch")
        .definedBy(RUNTIME + ".watch")
        .layer("ledger")
        .definedBy(RUNTIME + ".ledger")
        .whereLayer("loop")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("host")
        .mayOnlyAccessLayers("attempt", "ledger", "watch")
        .whereLayer("pod")
        .mayOnlyAccessLayers("attempt", "ledger")
        .whereLayer("attempt")
        .mayOnlyAccessLayers("output", "telemetry", "watch", "ledger")
        .whereLayer("output")
        .mayOnlyAccessLayers("telemetry", "watch", "ledger")
        .whereLayer("telemetry")
        .mayOnlyAccessLayers("watch")
        .whereLayer("watch")
        .mayNotAccessAnyLayer()
        .whereLayer("ledger")
        .mayNotAccessAnyLayer()
        .check(main);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(main);
  }
}
