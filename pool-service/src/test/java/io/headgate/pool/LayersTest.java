package io.headgate.pool;

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

class LayersTest {
  @TestFactory
  Stream<DynamicTest> layers() {
    return LayerRules.tests("io.headgate.pool");
  }

  /// A new arrow here is a design question; a cycle is a fault.
  @Test
  void packagesDependOnlyAsStated() {
    PackageArrows.only(
            "io.headgate.pool",
            Map.ofEntries(
                Map.entry("", Set.of("client", "grpc", "runtime", "store")),
                Map.entry("client", Set.of()),
                Map.entry("core", Set.of("core.name")),
                Map.entry("core.configuration", Set.of("core", "core.name", "core.node")),
                Map.entry("core.draft", Set.of("core", "core.configuration", "core.name")),
                Map.entry("core.name", Set.of()),
                Map.entry("core.node", Set.of("core", "core.name")),
                Map.entry(
                    "grpc",
                    Set.of(
                        "core",
                        "core.configuration",
                        "core.draft",
                        "core.name",
                        "core.node",
                        "runtime")),
                Map.entry(
                    "runtime",
                    Set.of("core", "core.configuration", "core.draft", "core.name", "core.node")),
                Map.entry(
                    "store",
                    Set.of(
                        "core.configuration", "core.draft", "core.name", "core.node", "runtime"))))
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.headgate.pool"));
  }
}
