package io.headgate.scheduler;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headgate.kit.testing.LayerRules;
import io.headgate.kit.testing.PackageArrows;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

final class ArchitectureTest {
  @TestFactory
  Stream<DynamicTest> layers() {
    return LayerRules.tests("io.headgate.scheduler");
  }

  /// A new arrow here is a design question; a cycle is a fault.
  @Test
  void runtimePackagesDependOnlyAsStated() {
    PackageArrows.only(
            "io.headgate.scheduler.runtime",
            Map.ofEntries(
                Map.entry("", Set.of()),
                Map.entry("record", Set.of()),
                Map.entry("trace", Set.of("record")),
                Map.entry("catalog", Set.of("record")),
                Map.entry("submission", Set.of("record", "catalog")),
                Map.entry("text", Set.of("record", "catalog")),
                Map.entry("agent", Set.of("record", "catalog")),
                Map.entry(
                    "desk", Set.of("record", "trace", "catalog", "submission", "text", "agent")),
                Map.entry("loop", Set.of("record", "catalog", "submission", "agent", "desk")),
                Map.entry(
                    "leadership",
                    Set.of("record", "catalog", "submission", "agent", "desk", "loop"))))
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.headgate.scheduler.runtime"));
  }
}
