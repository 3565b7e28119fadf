package io.headgate.deploy.sources;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sources and their methods stay short, and import nothing that has a better replacement.
class SourceRulesTest {
  private static final int MOST_LINES = 400;
  private static final int MOST_LINES_OF_A_TEST = 600;
  private static final int MOST_LINES_OF_A_METHOD = 60;

  /// A test tells one story from its beginning to its end.
  private static final int MOST_LINES_OF_A_TESTS_METHOD = 100;

  /// Files that are longer today, with their lines. These numbers only fall. Reason is a list of
  /// records, and grows with each reason.
  private static final Map<String, Integer> LONGER =
      Map.of("PoolState.java", 415, "Reason.java", 460);

  /// The replacement for a banned import.
  private enum Banned {
    MOCKS("org\\.mockito\\..*", "write a fake beside the port: mocks restate calls"),
    ASSERTIONS(
        "(static )?org\\.junit\\.jupiter\\.api\\.Assertions.*", "use AssertJ: it shows values"),
    HAMCREST("(static )?org\\.hamcrest\\..*", "use AssertJ"),
    SHADED(".*\\.shaded\\..*", "depend on the library itself: a shaded copy moves with its host"),
    /// Hazelcast's are in use where it offers no others (decision 0051).
    INTERNAL(
        "(?!io\\.headgate|com\\.hazelcast\\.internal\\.(networking|server)|static com\\.hazelcast)"
            + ".*\\.internal\\..*",
        "use the public interface of the library"),
    JDK_INTERNALS(
        "(sun|com\\.sun\\.(?!jna|management|net|source)\\w+|jdk\\.internal)\\..*",
        "use java.*: these packages may go away"),
    NULLS("(javax|jakarta)\\.annotation\\..*", "use org.jspecify.annotations");

    private final Pattern imported;
    private final String replacement;

    Banned(String imported, String replacement) {
      this.imported = Pattern.compile(imported);
      this.replacement = replacement;
    }
  }

  private static final Pattern IMPORT = Pattern.compile("(?m)^import ((?:static )?[\\w.]+)");

  @Test
  void noFileIsLongerThanAReaderKeepsInMind() throws IOException {
    List<String> longer = new ArrayList<>();
    for (Path source : Sources.all()) {
      int lines = Files.readAllLines(source).size();
      int most =
          isOfATest(source)
              ? MOST_LINES_OF_A_TEST
              : LONGER.getOrDefault(source.getFileName().toString(), MOST_LINES);
      if (lines > most) {
        longer.add(
            "%s has %d lines, at most %d".formatted(Sources.ROOT.relativize(source), lines, most));
      }
    }
    assertThat(longer).isEmpty();
  }

  @Test
  void everyFileHasATypeOfItsName() throws IOException {
    List<Path> faults = new ArrayList<>();
    for (Path source : Sources.all()) {
      String name = source.getFileName().toString().replace(".java", "");
      Pattern type = Pattern.compile("\\b(class|interface|enum|record) " + name + "\\b");
      if (!name.equals("package-info") && !type.matcher(Files.readString(source)).find()) {
        faults.add(Sources.ROOT.relativize(source));
      }
    }
    assertThat(faults).isEmpty();
  }

  @Test
  void noMethodIsLongerThanAScreen() throws IOException {
    assertThat(
            methods(Sources.all()).stream()
                .filter(method ->
                    method.lines()
                        > (isOfATest(method.file())
                            ? MOST_LINES_OF_A_TESTS_METHOD
                            : MOST_LINES_OF_A_METHOD))
                .map(Method::toString))
        .isEmpty();
  }

  @Test
  void theLinesOfAMethodAreCountedFromBraceToBrace(@TempDir Path directory) throws IOException {
    Path source =
        Files.writeString(
            directory.resolve("A.java"),
            """
            class A {
              int two() {
                int a = 1; return a + 1;
              }

              /// A table.
              int table(int a) {
                return switch (a) {
                  case 1 -> 2;
                  default -> 3;
                };
              }
            }
            """);
    assertThat(methods(List.of(source))).singleElement().isEqualTo(new Method("two", source, 3));
  }

  @Test
  void nothingBannedIsImported() throws IOException {
    List<String> faults = new ArrayList<>();
    for (Path source : Sources.all()) {
      Matcher imports = IMPORT.matcher(Files.readString(source));
      while (imports.find()) {
        faults.addAll(faults(Sources.ROOT.relativize(source), imports.group(1)));
      }
    }
    assertThat(faults).isEmpty();
  }

  @Test
  void aBannedImportIsFoundAndNamesItsReplacement() {
    assertThat(faults(Path.of("A.java"), "org.mockito.Mockito"))
        .containsExactly(
            "A.java imports org.mockito.Mockito: write a fake beside the port: mocks restate"
                + " calls");
    assertThat(faults(Path.of("A.java"), "static org.junit.jupiter.api.Assertions.fail"))
        .hasSize(1);
    assertThat(faults(Path.of("A.java"), "java.time.Instant")).isEmpty();
  }

  private static boolean isOfATest(Path source) {
    return !source.toString().contains("/src/main/");
  }

  private static List<String> faults(Path source, String imported) {
    return Stream.of(Banned.values())
        .filter(banned -> banned.imported.matcher(imported).matches())
        .map(banned -> "%s imports %s: %s".formatted(source, imported, banned.replacement))
        .toList();
  }

  /// A method with its name, its file and the lines of its body.
  private record Method(String name, Path file, long lines) {
    @Override
    public String toString() {
      return "%s in %s has %d lines".formatted(name, file, lines);
    }
  }

  private static List<Method> methods(List<Path> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Method> methods = new ArrayList<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        new TreeScanner<Void, Void>() {
          @Override
          public Void visitMethod(MethodTree method, Void unused) {
            if (method.getBody() != null && !isOneExpression(method.getBody())) {
              methods.add(
                  new Method(
                      method.getName().toString(),
                      Path.of(unit.getSourceFile().toUri()),
                      lines(unit, positions, method.getBody())));
            }
            return super.visitMethod(method, unused);
          }
        }.scan(unit, null);
      }
    }
    return methods;
  }

  /// A table: one `return` of a switch, a list or a text.
  private static boolean isOneExpression(BlockTree body) {
    return body.getStatements().size() == 1
        && body.getStatements().getFirst() instanceof ReturnTree;
  }

  private static long lines(CompilationUnitTree unit, SourcePositions positions, Tree part) {
    LineMap map = unit.getLineMap();
    return map.getLineNumber(positions.getEndPosition(unit, part))
        - map.getLineNumber(positions.getStartPosition(unit, part))
        + 1;
  }
}
