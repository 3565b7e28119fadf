package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Each rule (A, O and P) has a test table, and each table covers a rule.
class RulesAreTestedTest {
  /// The numbers of all rules. A new rule is added here too; the test then fails until a table
  /// tests it.
  private static final List<String> RULES =
      List.of(
          "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "O1", "O2", "O3", "O4", "O5", "O6", "O7",
          "P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9");

  @Test
  void everyRuleHasATable() throws IOException, URISyntaxException, ClassNotFoundException {
    TreeMap<String, List<String>> tables = new TreeMap<>();
    for (Class<?> tests : testClasses()) {
      for (Method method : tests.getDeclaredMethods()) {
        Rule rule = method.getAnnotation(Rule.class);
        if (rule != null) {
          assertThat(method.isAnnotationPresent(Test.class)).as("%s is a test", method).isTrue();
          tables
              .computeIfAbsent(rule.value(), key -> new ArrayList<>())
              .add(tests.getSimpleName() + "." + method.getName());
        }
      }
    }
    assertThat(RULES)
        .as("rules without a table")
        .allSatisfy(rule -> assertThat(tables).containsKey(rule));
    assertThat(tables.keySet()).as("tables of no rule").isSubsetOf(RULES);
  }

  private static List<Class<?>> testClasses()
      throws IOException, URISyntaxException, ClassNotFoundException {
    Path root =
        Path.of(
            RulesAreTestedTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String own = RulesAreTestedTest.class.getPackageName();
    List<Class<?>> classes = new ArrayList<>();
    try (Stream<Path> files = Files.list(root.resolve(own.replace('.', '/')))) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith("Test.class")) {
          classes.add(Class.forName(own + "." + name.substring(0, name.length() - 6)));
        }
      }
    }
    return classes;
  }
}
