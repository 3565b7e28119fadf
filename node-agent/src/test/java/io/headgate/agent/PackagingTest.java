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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The files shipped beside the code agree with the code.
class PackagingTest {
  @TempDir Path root;

  @Test
  void anInitSystemStopsTheAgentAndNoJob() throws Exception {
    assertThat(Files.readAllLines(Path.of("src/main/systemd/headgate-agent.service")))
        .contains("KillMode=process", "Delegate=yes", "DelegateSubgroup=agent")
        .contains("After=containerd.service docker.service");
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
              // In archives without the Kubernetes library, no code reaches this class.
              .withImportOption(location -> !location.contains("/kubernetes/Fabric8Pods"))
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
  void onlyWhereJobsArePodsAClientOfKubernetesIsNeeded() {
    JavaClasses own =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.headgate.agent");
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.kubernetes\\.(Fabric8Pods|PodForm).*")
        .should()
        .dependOnClassesThat(resideInAnyPackage("io.fabric8..", "com.fasterxml.jackson.."))
        .check(own);
  }

  @Test
  void aClusterLetsTheAgentDoWhatItDoesAndTheKubeletFindWhatItMakes() throws Exception {
    List<Map<?, ?>> objects = new ArrayList<>();
    new Load(LoadSettings.builder().build())
        .loadAllFromString(Files.readString(Path.of("src/main/kubernetes/headgate-agent.yaml")))
        .forEach(object -> objects.add((Map<?, ?>) object));
    assertThat(of(objects, "Role").get("rules"))
        .hasToString("[{apiGroups=[], resources=[pods], verbs=[create, get, list, delete]}]");
    Path file =
        Files.writeString(
            root.resolve("agent.yaml"), text(of(objects, "ConfigMap"), "data", "agent.yaml"));
    AgentConfig config =
        AgentMain.configuration(new String[] {"--config", file.toString()}, Map.of()).agent();
    assertThat(config.kubernetes().use()).isTrue();
    assertThat(config.kubernetes().namespace()).isEqualTo("headgate-jobs");
    String agent = of(objects, "DaemonSet").toString();
    assertThat(agent)
        .contains("name=data, mountPath=" + config.data(), "hostPath={path=" + config.data())
        .contains("name=cdi, mountPath=" + config.containers().cdi(), "hostPID=true");
  }

  private static Map<?, ?> of(List<Map<?, ?>> objects, String kind) {
    return objects.stream()
        .filter(object -> kind.equals(object.get("kind")))
        .findFirst()
        .orElseThrow();
  }

  private static String text(Map<?, ?> object, String key, String below) {
    return String.valueOf(((Map<?, ?>) object.get(key)).get(below));
  }

  @Test
  void theReferenceShowsTheLifecycleAsItIs() throws Exception {
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
    assertThat(Files.readString(Path.of("../docs/reference/attempt-lifecycle.md")))
        .as("put this into the page:\n%s", diagram)
        .contains("```mermaid\n" + diagram + "\n```");
  }
}
