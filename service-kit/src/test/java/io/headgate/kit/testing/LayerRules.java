package io.headgate.kit.testing;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.Architectures;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.DynamicTest;

/// The arrows between packages as tests. A service applies all of them to itself:
///
/// ```java
/// @TestFactory Stream<DynamicTest> layers() { return LayerRules.tests("io.headgate.pool"); }
/// ```
///
/// A red arrow is a design question, not a nuisance: move the code, do not widen the rule.
public final class LayerRules {
  private static final Set<String> MODULES =
      Set.of("pool", "policy", "scheduler", "agent", "sdk", "deploy");

  private static final Map<Class<?>, Set<String>> CLOCKS =
      Map.of(
          System.class, Set.of("currentTimeMillis", "nanoTime"),
          Instant.class, Set.of("now"),
          LocalDate.class, Set.of("now"),
          LocalDateTime.class, Set.of("now"),
          ZonedDateTime.class, Set.of("now"),
          OffsetDateTime.class, Set.of("now"),
          Clock.class, Set.of("system", "systemUTC", "systemDefaultZone"),
          InstantSource.class, Set.of("system"),
          Date.class, Set.of("<init>()"));

  private static final Map<Class<?>, Set<String>> SLEEPS =
      Map.of(Thread.class, Set.of("sleep"), TimeUnit.class, Set.of("sleep"));

  private LayerRules() {}

  /// The core decides by values alone: no I/O, clock, lock, thread, log, randomness or library.
  public static ArchRule coreIsPure(String root) {
    DescribedPredicate<JavaClass> allowed =
        resideInAnyPackage(
                root + ".core..",
                "java.lang",
                "java.lang.annotation",
                "java.lang.runtime",
                "java.lang.invoke",
                "java.util",
                "java.util.function",
                "java.util.stream",
                "java.time",
                "java.time.temporal",
                "java.math",
                "org.jspecify.annotations",
                "io.headgate.type",
                "io.headgate.kit.decision")
            .and(not(impure()));
    return classes()
        .that()
        .resideInAPackage(root + ".core..")
        .should()
        .onlyDependOnClassesThat(allowed)
        .because("a decision is a function of values, the same on any machine (HOUSE C)")
        .allowEmptyShould(true);
  }

  /// The core may use [System] only to copy arrays, which is a function of values, too.
  public static ArchRule coreAsksNothingOfTheMachine(String root) {
    return noClasses()
        .that()
        .resideInAPackage(root + ".core..")
        .should()
        .accessTargetWhere(
            new DescribedPredicate<JavaAccess<?>>("reaches System beyond arraycopy") {
              @Override
              public boolean test(JavaAccess<?> access) {
                return access.getTargetOwner().isEquivalentTo(System.class)
                    && !access.getTarget().getName().equals("arraycopy");
              }
            })
        .because("a decision is a function of values, the same on any machine (HOUSE C)")
        .allowEmptyShould(true);
  }

  /// The core depends on nothing else; the loop knows the core; the edges know both; only the
  /// composition root knows the edges.
  public static ArchRule arrowsPointInwards(String root) {
    return Architectures.layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage(root + "..")
        .optionalLayer("core")
        .definedBy(root + ".core..")
        .optionalLayer("runtime")
        .definedBy(root + ".runtime..")
        .optionalLayer("store")
        .definedBy(root + ".store..")
        .optionalLayer("grpc")
        .definedBy(root + ".grpc..")
        .optionalLayer("client")
        .definedBy(root + ".client..")
        .optionalLayer("root")
        .definedBy(root)
        .whereLayer("runtime")
        .mayOnlyBeAccessedByLayers("store", "grpc", "client", "root")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("grpc")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("client")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("root")
        .mayNotBeAccessedByAnyLayer()
        .allowEmptyShould(true);
  }

  /// jOOQ and JDBC stay in the store.
  public static ArchRule jooqStaysInStore(String root) {
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .and()
        .resideOutsideOfPackages(root + ".store..")
        .should()
        .dependOnClassesThat(resideInAnyPackage("org.jooq..", "java.sql..", root + ".store.jooq.."))
        .because("what is stored and how is the store's secret")
        .allowEmptyShould(true);
  }

  /// Protobuf and gRPC types stay at the edges: endpoints, outbound clients, the composition root.
  public static ArchRule protobufStaysAtTheEdges(String root) {
    return noClasses()
        .that()
        .resideInAnyPackage(root + ".core..", root + ".runtime..", root + ".store..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "com.google.protobuf..", "com.google.rpc..", "io.grpc..", "io.headgate.proto.."))
        .because("the wire format changes for other reasons than the rules do")
        .allowEmptyShould(true);
  }

  /// Services meet on the wire only.
  public static ArchRule dependsOnNoOtherService(String root) {
    return dependsOnNoneOf(
        root,
        MODULES.stream()
            .map(module -> "io.headgate." + module)
            .filter(module -> !module.equals(root))
            .toList());
  }

  static ArchRule dependsOnNoneOf(String root, List<String> roots) {
    String[] others = roots.stream().map(other -> other + "..").toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .should()
        .dependOnClassesThat(resideInAnyPackage(others))
        .because("a service knows others by the contract alone")
        .allowEmptyShould(true);
  }

  /// Only {@code TimeSource.system()} reads the machine's clocks.
  public static ArchRule clockIsHandedIn(String root) {
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .and()
        .resideOutsideOfPackage("io.headgate.kit.time..")
        .should()
        .callCodeUnitWhere(calls("reads a clock", CLOCKS))
        .because("time is an argument: TimeSource")
        .allowEmptyShould(true);
  }

  /// Waiting is done on a condition, not on time.
  public static ArchRule nobodySleeps(String root) {
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .should()
        .callCodeUnitWhere(calls("sleeps", SLEEPS))
        .because("a sleep is a race that was lost; wait for the event")
        .allowEmptyShould(true);
  }

  /// Standard output belongs to the command line's own writer.
  public static ArchRule nobodyPrints(String root) {
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .should()
        .accessFieldWhere(
            new DescribedPredicate<>("it is System.out or System.err") {
              @Override
              public boolean test(JavaFieldAccess access) {
                AccessTarget.FieldAccessTarget target = access.getTarget();
                return target.getOwner().isEquivalentTo(System.class)
                    && Set.of("out", "err").contains(target.getName());
              }
            })
        .because("logs go through slf4j")
        .allowEmptyShould(true);
  }

  /// Names say what differs.
  public static ArchRule namesSayWhatTheyAre(String root) {
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .should()
        .haveSimpleNameEndingWith("Impl")
        .orShould()
        .haveSimpleNameEndingWith("Util")
        .orShould()
        .haveSimpleNameEndingWith("Utils")
        .orShould()
        .haveSimpleNameEndingWith("Helper")
        .orShould()
        .haveSimpleNameEndingWith("Manager")
        .orShould()
        .haveSimpleNameEndingWith("Dto")
        .because("HOUSE 32")
        .allowEmptyShould(true);
  }

  /// Absence is never a surprise: each package says that its types are not null.
  public static ArchRule packagesAreNullMarked(String root) {
    return classes()
        .that()
        .resideInAPackage(root + "..")
        .and()
        .resideOutsideOfPackage(root + ".store.jooq..")
        .should(
            new ArchCondition<>("be in a package whose package-info is @NullMarked") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                boolean marked =
                    type.getPackage()
                        .tryGetPackageInfo()
                        .filter(info -> info.isAnnotatedWith(NullMarked.class))
                        .isPresent();
                String message = type.getName() + " is in a package that is not @NullMarked";
                events.add(new SimpleConditionEvent(type, marked, message));
              }
            })
        .because("NullAway checks only what is marked")
        .allowEmptyShould(true);
  }

  /// All rules for the service whose packages begin with `root`, by name.
  public static Map<String, ArchRule> all(String root) {
    Map<String, ArchRule> rules = new LinkedHashMap<>();
    rules.put("core is pure", coreIsPure(root));
    rules.put("core asks nothing of the machine", coreAsksNothingOfTheMachine(root));
    rules.put("arrows point inwards", arrowsPointInwards(root));
    rules.put("jOOQ stays in the store", jooqStaysInStore(root));
    rules.put("protobuf stays at the edges", protobufStaysAtTheEdges(root));
    rules.put("depends on no other service", dependsOnNoOtherService(root));
    rules.put("the clock is handed in", clockIsHandedIn(root));
    rules.put("nobody sleeps", nobodySleeps(root));
    rules.put("nobody prints", nobodyPrints(root));
    rules.put("names say what they are", namesSayWhatTheyAre(root));
    rules.put("packages are null-marked", packagesAreNullMarked(root));
    rules.put("packages form no knot", Knots.noneOfPackages(root));
    rules.put("files form no large knot", Knots.ofFilesAtMost(root, Knots.MOST_FILES));
    return rules;
  }

  /// {@link #all} as tests over the main classes of `root`.
  public static Stream<DynamicTest> tests(String root) {
    JavaClasses imported =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(root);
    List<DynamicTest> tests = new ArrayList<>();
    all(root)
        .forEach(
            (name, rule) -> tests.add(DynamicTest.dynamicTest(name, () -> rule.check(imported))));
    return tests.stream();
  }

  private static DescribedPredicate<JavaClass> impure() {
    return new DescribedPredicate<>("reaches outside of its arguments") {
      private final Set<String> names =
          Set.of(
              "java.lang.Thread",
              "java.lang.ThreadLocal",
              "java.lang.Runtime",
              "java.lang.Process",
              "java.lang.ProcessBuilder",
              "java.lang.ProcessHandle",
              "java.util.Random",
              "java.util.SplittableRandom",
              "java.util.Timer",
              "java.util.Scanner",
              "java.time.Clock",
              "java.time.InstantSource");

      @Override
      public boolean test(JavaClass type) {
        return names.contains(type.getName());
      }
    };
  }

  private static DescribedPredicate<JavaCall<?>> calls(
      String description, Map<Class<?>, Set<String>> methods) {
    return new DescribedPredicate<>(description) {
      @Override
      public boolean test(JavaCall<?> call) {
        AccessTarget.CodeUnitCallTarget target = call.getTarget();
        String plain = target.getName();
        String name =
            target.getRawParameterTypes().isEmpty() && plain.equals("<init>") ? "<init>()" : plain;
        return methods.entrySet().stream()
            .anyMatch(entry ->
                target.getOwner().isEquivalentTo(entry.getKey())
                    && entry.getValue().contains(name));
      }
    };
  }
}
