package io.headgate.deploy.sources;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Sources stay short, and import nothing that has a better replacement.
class SourceRulesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int MOST_LINES = 400;
  private static final int MOST_LINES_OF_A_TEST = 600;

  /// Files that are longer today, with their lines. These numbers only fall.
  private static final Map<String, Integer> LONGER =
      Map.of("Replica.java", 441, "PoolState.java", 415);

  /// The replacement for what must not be imported.
  private enum Banned {
    MOCKS("org\\.mockito\\..*", "write a fake beside the port: mocks restate calls"),
    ASSERTIONS(
        "(static )?org\\.junit\\.jupiter\\.api\\.Assertions.*", "use AssertJ: it shows values"),
    HAMCREST("(static )?org\\.hamcrest\\..*", "use AssertJ"),
    SHADED(".*\\.shaded\\..*", "depend on the library itself: a shaded copy moves with its host"),
    INTERNAL("(?!io\\.headgate).*\\.internal\\..*", "use the public interface of the library"),
    JDK_INTERNALS(
        "(sun|com\\.sun\\.(?!jna|management|net)\\w+|jdk\\.internal)\\..*",
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
    for (Path source : sources()) {
      int lines = Files.readAllLines(source).size();
      int most =
          source.toString().contains("/src/main/")
              ? LONGER.getOrDefault(source.getFileName().toString(), MOST_LINES)
              : MOST_LINES_OF_A_TEST;
      if (lines > most) {
        longer.add("%s has %d lines, at most %d".formatted(ROOT.relativize(source), lines, most));
      }
    }
    assertThat(longer).isEmpty();
  }

  @Test
  void everyFileDeclaresTheTypeOfItsName() throws IOException {
    List<String> empty = new ArrayList<>();
    for (Path source : sources()) {
      String name = source.getFileName().toString().replace(".java", "");
      Pattern type = Pattern.compile("(class|record|enum|interface) " + name + "\\b");
      if (!name.endsWith("-info") && !type.matcher(Files.readString(source)).find()) {
        empty.add(ROOT.relativize(source).toString());
      }
    }
    assertThat(empty).as("files that were emptied by mistake").isEmpty();
  }

  @Test
  void nothingBannedIsImported() throws IOException {
    List<String> faults = new ArrayList<>();
    for (Path source : sources()) {
      Matcher imports = IMPORT.matcher(Files.readString(source));
      while (imports.find()) {
        faults.addAll(faults(ROOT.relativize(source), imports.group(1)));
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

  private static List<String> faults(Path source, String imported) {
    return Stream.of(Banned.values())
        .filter(banned -> banned.imported.matcher(imported).matches())
        .map(banned -> "%s imports %s: %s".formatted(source, imported, banned.replacement))
        .toList();
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      List<Path> roots =
          modules.map(module -> module.resolve("src")).filter(Files::isDirectory).toList();
      List<Path> sources = new ArrayList<>();
      for (Path root : roots) {
        try (Stream<Path> files = Files.walk(root)) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
      return sources;
    }
  }
}
