package io.headgate.scheduler.core;

import static java.util.regex.Pattern.MULTILINE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Each rule (A, O and P) has a test table, and each table covers a rule.
class RulesAreTestedTest {
  /// The text that `headgate help rules` prints.
  private static final Path RULES = Path.of("../sdk/src/main/resources/help/rules.txt");

  /// The line with which a rule begins.
  private static final Pattern BEGINNING = Pattern.compile("^  ([AOP][1-9][0-9]*)  ", MULTILINE);

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
    assertThat(tables.keySet())
        .as("rules with a table, and the rules of %s", RULES)
        .containsExactlyInAnyOrderElementsOf(rules());
  }

  private static List<String> rules() throws IOException {
    return BEGINNING
        .matcher(Files.readString(RULES))
        .results()
        .map(beginning -> beginning.group(1))
        .toList();
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
