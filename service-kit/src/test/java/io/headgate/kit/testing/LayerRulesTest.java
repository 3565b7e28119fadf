package io.headgate.kit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each rule is broken by a bad example, so that none is green because it looks at nothing.
class LayerRulesTest {
  private static final String BAD = "io.headgate.kit.testing.bad";
  private static final String GOOD = "io.headgate.kit.testing.good";
  private static final String OTHER = "io.headgate.kit.testing.other";
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPackages(BAD, GOOD, OTHER);

  record Case(String name, ArchRule rule, List<String> offenders) {
    @Override
    public String toString() {
      return name;
    }
  }

  @ParameterizedTest
  @MethodSource
  void isBrokenByItsBadExample(Case example) {
    assertThatThrownBy(() -> example.rule().check(CLASSES))
        .isInstanceOf(AssertionError.class)
        .satisfies(broken -> assertThat(broken.getMessage()).contains(example.offenders()));
  }

  static List<Case> isBrokenByItsBadExample() {
    return List.of(
        new Case(
            "core is pure",
            LayerRules.coreIsPure(BAD),
            List.of("ImpureDecision", "AtomicInteger", "org.slf4j.Logger", "OutwardDecision")),
        new Case("machine", LayerRules.coreAsksNothingOfTheMachine(BAD), List.of("System.getenv")),
        new Case(
            "arrows",
            LayerRules.arrowsPointInwards(BAD),
            List.of("OutwardDecision", "grpc.Endpoint.serve")),
        new Case("jOOQ", LayerRules.jooqStaysInStore(BAD), List.of("JooqLoop", "DSLContext")),
        new Case(
            "protobuf", LayerRules.protobufStaysAtTheEdges(BAD), List.of("JooqLoop", "v1.Role")),
        new Case(
            "other service",
            LayerRules.dependsOnNoneOf(BAD, List.of(OTHER)),
            List.of("grpc.Endpoint", "other.Foreign")),
        new Case(
            "clock",
            LayerRules.clockIsHandedIn(BAD),
            List.of("Instant.now", "currentTimeMillis", "nanoTime", "java.util.Date.<init>")),
        new Case("sleep", LayerRules.nobodySleeps(BAD), List.of("TimeUnit.sleep")),
        new Case("print", LayerRules.nobodyPrints(BAD), List.of("System.out")),
        new Case("names", LayerRules.namesSayWhatTheyAre(BAD), List.of("ThingManager")),
        new Case("null-marked", LayerRules.packagesAreNullMarked(BAD), List.of("util.Unmarked")),
        new Case("knot of packages", Knots.noneOfPackages(BAD), List.of("knot.inner")),
        new Case("knot of files", Knots.ofFilesAtMost(BAD, 2), List.of("knot.First")));
  }

  @TestFactory
  Stream<DynamicTest> theGoodExamplePasses() {
    return LayerRules.all(GOOD).entrySet().stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(CLASSES)));
  }

  @Test
  void everyRuleHasABadExample() {
    assertThat(isBrokenByItsBadExample()).hasSameSizeAs(LayerRules.all(BAD).entrySet());
  }
}
