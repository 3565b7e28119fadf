package io.headgate.sdk;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.headgate.kit.testing.Knots;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The arrows: cli → client → wire → model → config, and no protobuf in the API that users of the
/// client see.
class ArchitectureTest {
  private static final JavaClasses SDK =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.headgate.sdk");

  private static final DescribedPredicate<JavaClass> OF_THE_WIRE =
      new DescribedPredicate<>("of protobuf or gRPC") {
        @Override
        public boolean test(JavaClass type) {
          String name = type.getBaseComponentType().getPackageName();
          return name.startsWith("com.google.")
              || name.startsWith("io.grpc")
              || name.startsWith("io.headgate.proto");
        }
      };

  @Test
  void dependsOnNoServiceAndNotOnTheKit() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.headgate.kit..",
            "io.headgate.pool..",
            "io.headgate.policy..",
            "io.headgate.scheduler..",
            "io.headgate.agent..",
            "io.headgate.deploy..")
        .check(SDK);
  }

  @Test
  void protobufDoesNotLeakFromTheClientsPublicApi() {
    methods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat()
        .resideInAnyPackage(
            "io.headgate.sdk.client..", "io.headgate.sdk.model..", "io.headgate.sdk.config..")
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .should(mentionNothing())
        .check(SDK);
  }

  private static ArchCondition<JavaMethod> mentionNothing() {
    return new ArchCondition<>("mention nothing of protobuf or gRPC") {
      @Override
      public void check(JavaMethod method, ConditionEvents events) {
        Stream.concat(Stream.of(method.getReturnType()), method.getParameterTypes().stream())
            .flatMap(type -> type.getAllInvolvedRawTypes().stream())
            .filter(OF_THE_WIRE)
            .forEach(type ->
                events.add(
                    SimpleConditionEvent.violated(
                        method, method.getFullName() + " mentions " + type.getName())));
      }
    };
  }

  @Test
  void configurationFilesNeedNoNetwork() {
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.sdk.config..", "io.headgate.sdk.model..")
        .should()
        .dependOnClassesThat(OF_THE_WIRE)
        .check(SDK);
  }

  @Test
  void arrowsPointOneWay() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.headgate.sdk.client..",
            "io.headgate.sdk.wire..",
            "io.headgate.sdk.model..",
            "io.headgate.sdk.config..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.headgate.sdk.cli..")
        .check(SDK);
    slices().matching("io.headgate.sdk.(*)..").should().beFreeOfCycles().check(SDK);
    slices().matching("io.headgate.sdk.cli.(*)..").should().beFreeOfCycles().check(SDK);
  }

  @Test
  void packagesAndFilesFormNoLargeKnots() {
    Knots.noneOfPackages("io.headgate.sdk").check(SDK);
    Knots.ofFilesAtMost("io.headgate.sdk", Knots.MOST_FILES).check(SDK);
  }

  /// submit → job → shared, and each other group → shared alone. The registry knows all of them.
  @Test
  void groupsOfCommandsUseSharedCodeAndOnlySubmitUsesAnotherGroup() {
    String command = "io.headgate.sdk.cli.command.";
    List<String> groups =
        List.of("access", "configuration", "job", "simulation", "submit", "supply", "shared");
    for (String group : groups) {
      String[] forbidden =
          groups.stream()
              .filter(other -> !other.equals(group))
              .filter(other -> group.equals("shared") || !other.equals("shared"))
              .filter(other -> !(group.equals("submit") && other.equals("job")))
              .map(other -> command + other + "..")
              .toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage(command + group + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(forbidden)
          .orShould()
          .dependOnClassesThat()
          .resideInAPackage("io.headgate.sdk.cli.command")
          .check(SDK);
    }
  }

  @Test
  void onlyTheEntryPointsEndTheProcess() {
    noClasses()
        .that()
        .doNotHaveSimpleName("HeadgateCli")
        .and()
        .doNotHaveSimpleName("StartUpTraining")
        .should()
        .callMethod(System.class, "exit", int.class)
        .check(SDK);
  }

  @Test
  void onlyTheEnvironmentKnowsTheProcess() {
    noClasses()
        .that()
        .doNotHaveSimpleName("CliEnvironment")
        .should()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .orShould()
        .callMethod(System.class, "getenv")
        .orShould()
        .callMethod(System.class, "getenv", String.class)
        .check(SDK);
    classes().that().haveSimpleName("CliEnvironment").should().bePublic().check(SDK);
  }
}
