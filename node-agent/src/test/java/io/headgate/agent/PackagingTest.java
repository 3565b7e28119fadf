package io.headgate.agent;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headgate.agent.core.AttemptLifecycle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What is shipped beside the code says what the code does.
class PackagingTest {
  @Test
  void anInitSystemStopsTheAgentAndNoJob() throws Exception {
    assertThat(Files.readAllLines(Path.of("src/main/systemd/headgate-agent.service")))
        .contains("KillMode=process", "Delegate=yes", "DelegateSubgroup=agent");
  }

  @Test
  void theAgentReachesNothingThatItsArchiveLeavesOut() {
    String[] leftOut = {
      "com.linecorp.armeria..", "dev.cel..", "com.fasterxml.jackson..", "com.nimbusds..",
      "io.micrometer..", "org.yaml..", "net.bytebuddy..", "com.aayushatharva.."
    };
    JavaClasses own =
        ArchConfiguration.withThreadLocalScope(configuration -> {
          configuration.setResolveMissingDependenciesFromClassPath(false);
          return new ClassFileImporter()
              .withImportOption(new ImportOption.DoNotIncludeTests())
              .importPackages("io.headgate.agent", "io.headgate.kit");
        });
    noClasses()
        .that()
        .resideInAPackage("io.headgate.agent..")
        .should()
        .transitivelyDependOnClassesThat(resideInAnyPackage(leftOut))
        .check(own);
  }

  @Test
  void theReadmeShowsTheLifecycleAsItIs() throws Exception {
    String diagram =
        AttemptLifecycle.table().stream()
            .map(row ->
                "  "
                    + row.from()
                    + " --> "
                    + row.to()
                    + ": "
                    + row.event()
                    + (row.actions().isEmpty() ? "" : " / " + row.actions()))
            .collect(Collectors.joining("\n", "stateDiagram-v2\n", ""));
    assertThat(Files.readString(Path.of("README.md")))
        .as("put this into the README:\n%s", diagram)
        .contains("```mermaid\n" + diagram + "\n```");
  }
}
