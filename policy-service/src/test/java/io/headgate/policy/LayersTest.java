package io.headgate.policy;

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
    return LayerRules.tests("io.headgate.policy");
  }

  /// A new arrow here is a design question; a cycle is a fault.
  @Test
  void packagesDependOnlyAsStated() {
    PackageArrows.only(
            "io.headgate.policy",
            Map.ofEntries(
                Map.entry(
                    "",
                    Set.of(
                        "client",
                        "core.identity",
                        "core.key",
                        "core.name",
                        "core.signing",
                        "grpc",
                        "runtime",
                        "runtime.port",
                        "store")),
                Map.entry("client", Set.of("core", "core.access", "core.name", "runtime.port")),
                Map.entry("core", Set.of("core.name")),
                Map.entry("core.access", Set.of("core", "core.name")),
                Map.entry("core.identity", Set.of("core", "core.name")),
                Map.entry("core.key", Set.of("core", "core.identity", "core.name")),
                Map.entry("core.name", Set.of()),
                Map.entry("core.signing", Set.of()),
                Map.entry(
                    "grpc",
                    Set.of(
                        "core",
                        "core.access",
                        "core.identity",
                        "core.key",
                        "core.name",
                        "runtime",
                        "runtime.port")),
                Map.entry(
                    "runtime",
                    Set.of(
                        "core",
                        "core.access",
                        "core.identity",
                        "core.key",
                        "core.name",
                        "core.signing",
                        "runtime.port")),
                Map.entry(
                    "runtime.port",
                    Set.of(
                        "core.access", "core.identity", "core.key", "core.name", "core.signing")),
                Map.entry(
                    "store",
                    Set.of(
                        "core.access",
                        "core.identity",
                        "core.key",
                        "core.name",
                        "core.signing",
                        "runtime.port"))))
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.headgate.policy"));
  }
}
