package io.headgate.kit.testing;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headgate.type.NearestName;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The kit's own rules: no package cycles, no domain words, and all storage libraries in one
/// package, so that a process without a database can use the rest.
class KitArchitectureTest {
  private static final String KIT = "io.headgate.kit";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(KIT);

  @Test
  void packagesFormNoCycle() {
    slices().matching("io.headgate.kit.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void packagesDependOnlyAsStated() {
    PackageArrows.only(
            KIT,
            Map.ofEntries(
                Map.entry("audit", Set.of("db", "telemetry")),
                Map.entry("auth", Set.of("db", "failure", "position", "time")),
                Map.entry("client", Set.of("config", "telemetry", "time")),
                Map.entry("config", Set.of("decision")),
                Map.entry(
                    "db",
                    Set.of(
                        "config",
                        "failure",
                        "file",
                        "lifecycle",
                        "process",
                        "seal",
                        "telemetry",
                        "time")),
                Map.entry("db.codegen", Set.of("config", "db")),
                Map.entry("decision", Set.of()),
                Map.entry("failure", Set.of()),
                Map.entry("file", Set.of("lifecycle")),
                Map.entry(
                    "grpc", Set.of("auth", "config", "failure", "lifecycle", "telemetry", "time")),
                Map.entry("lifecycle", Set.of()),
                Map.entry("position", Set.of()),
                Map.entry("process", Set.of("config", "lifecycle")),
                Map.entry("seal", Set.of("file", "lifecycle")),
                Map.entry("telemetry", Set.of("config", "time")),
                Map.entry("time", Set.of()),
                Map.entry(
                    "watch",
                    Set.of(
                        "auth",
                        "config",
                        "failure",
                        "grpc",
                        "lifecycle",
                        "position",
                        "telemetry",
                        "time"))))
        .check(CLASSES);
  }

  /// Pure cores may use the package, so it is as pure as they are.
  @Test
  void decisionsUseNothingButTheJdk() {
    classes()
        .that()
        .resideInAPackage(KIT + ".decision")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            KIT + ".decision",
            "java.lang..",
            "java.util",
            "java.util.function",
            "java.util.stream",
            "org.jspecify.annotations")
        .check(CLASSES);
  }

  @Test
  void storageLibrariesStayInTwoPackages() {
    noClasses()
        .that()
        .resideOutsideOfPackages(KIT + ".db..", KIT + ".audit")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.jooq..",
            "com.zaxxer..",
            "org.flywaydb..",
            "org.postgresql..",
            "org.apache.commons.compress..",
            "org.tukaani..")
        .check(CLASSES);
  }

  @Test
  void knowsNoDomain() {
    noClasses()
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "io.headgate.proto.pool..",
                    "io.headgate.proto.policy..",
                    "io.headgate.proto.scheduler..",
                    "io.headgate.proto.agent..",
                    "io.headgate.type..")
                // It compares words of any kind.
                .and(not(equivalentTo(NearestName.class))))
        .check(CLASSES);
  }

  @Test
  void keepsTheRulesThatServicesKeep() {
    LayerRules.dependsOnNoOtherService(KIT).check(CLASSES);
    LayerRules.clockIsHandedIn(KIT).check(CLASSES);
    LayerRules.nobodySleeps(KIT).check(CLASSES);
    LayerRules.nobodyPrints(KIT).check(CLASSES);
    LayerRules.namesSayWhatTheyAre(KIT).check(CLASSES);
    LayerRules.packagesAreNullMarked(KIT).check(CLASSES);
    Knots.noneOfPackages(KIT).check(CLASSES);
    Knots.ofFilesAtMost(KIT, Knots.MOST_FILES).check(CLASSES);
  }
}
