package io.headgate.deploy.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.TestJvm;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Checks every Markdown file of the repository. Links lead to their targets, lines fit a screen,
/// and commands marked as runnable run. The reference has every metric and every reason.
///
/// A block with the info string `sh runnable` runs in the root of the repository under `bash -eu`,
/// with `headgate` on the path. It may use no server.
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final int MAX_README_LINES = 120;
  private static final int MAX_LINE_CHARACTERS = 120;
  private static final int BOUND_SECONDS = 120;
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern METRIC =
      Pattern.compile("\"((?:headgate|hw)\\.[a-z_.]+[a-z]|DCGM_[A-Z_]+)\"");
  private static final Pattern REASON = Pattern.compile("\"([A-Z]+(?:_[A-Z]+)+)\"");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?) *");

  /// A Markdown file, divided into its parts.
  ///
  /// @param text lines outside of code blocks; a line of code is empty here
  /// @param runnable the blocks marked as runnable
  private record Document(Path path, List<String> text, List<String> runnable) {
    static Document read(Path path) throws IOException {
      List<String> text = new ArrayList<>();
      List<String> runnable = new ArrayList<>();
      StringBuilder block = new StringBuilder();
      boolean isCode = false;
      boolean isRunnable = false;
      for (String line : Files.readAllLines(path, UTF_8)) {
        if (line.startsWith("```")) {
          if (isRunnable) {
            runnable.add(block.toString());
          }
          isCode = !isCode;
          isRunnable = isCode && line.equals("```sh runnable");
          block.setLength(0);
          text.add("");
        } else {
          block.append(line).append('\n');
          text.add(isCode ? "" : line);
        }
      }
      assertThat(isCode).as("%s ends in a code block", path).isFalse();
      return new Document(path, text, runnable);
    }

    String name() {
      return ROOT.relativize(path).toString();
    }

    boolean isReadme() {
      return path.endsWith("README.md") && !path.startsWith(ROOT.resolve("docs"));
    }

    boolean isReadmeOfAModule() {
      return isReadme() && !ROOT.equals(path.getParent());
    }

    /// The anchors of its headings, built by GitHub's rules.
    Set<String> anchors() {
      Set<String> anchors = new HashSet<>();
      Map<String, Integer> seen = new HashMap<>();
      for (String line : text) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
          String anchor =
              heading
                  .group(1)
                  .toLowerCase(Locale.ROOT)
                  .replaceAll("[^\\p{L}\\p{N} _-]", "")
                  .replace(' ', '-');
          int earlier = seen.merge(anchor, 1, Integer::sum) - 1;
          anchors.add(earlier == 0 ? anchor : anchor + "-" + earlier);
        }
      }
      return anchors;
    }

    /// Targets of links to files of the repository and to headings.
    List<String> links() {
      return LINK.matcher(CODE.matcher(String.join("\n", text)).replaceAll("``"))
          .results()
          .map(link -> link.group(1))
          .filter(target -> !target.matches("[a-z]+:.*"))
          .toList();
    }
  }

  private static List<Document> documents() throws IOException {
    try (Stream<Path> paths = Files.walk(ROOT)) {
      List<Document> documents = new ArrayList<>();
      for (Path path : paths.filter(DocumentationTest::isDocument).sorted().toList()) {
        documents.add(Document.read(path));
      }
      assertThat(documents).hasSizeGreaterThan(20);
      return documents;
    }
  }

  private static boolean isDocument(Path path) {
    for (Path part : ROOT.relativize(path)) {
      String name = part.toString();
      if (name.equals("target") || name.length() > 1 && name.startsWith(".")) {
        return false;
      }
    }
    return path.toString().endsWith(".md") && Files.isRegularFile(path);
  }

  @Test
  void everyLinkLeadsToAFileAndAHeading() throws IOException {
    Map<Path, Document> documents =
        documents().stream().collect(Collectors.toMap(Document::path, document -> document));
    List<String> broken = new ArrayList<>();
    for (Document document : documents.values()) {
      for (String link : document.links()) {
        String[] parts = link.split("#", 2);
        Path target =
            parts[0].isEmpty()
                ? document.path()
                : document.path().resolveSibling(URLDecoder.decode(parts[0], UTF_8)).normalize();
        Document other = documents.get(target);
        boolean leads =
            Files.exists(target)
                && (parts.length == 1 || other != null && other.anchors().contains(parts[1]));
        if (!leads) {
          broken.add(document.name() + ": " + link);
        }
      }
    }
    assertThat(broken).as("broken links").isEmpty();
  }

  @Test
  void everyReadmeIsReadInFiveMinutes() throws IOException {
    for (Document document : documents()) {
      if (document.isReadme()) {
        assertThat(document.text())
            .as("lines of %s: move details to docs/", document.name())
            .hasSizeLessThanOrEqualTo(MAX_README_LINES);
      }
    }
  }

  @Test
  void linesFitAScreen() throws IOException {
    List<String> wide = new ArrayList<>();
    for (Document document : documents()) {
      for (int i = 0; i < document.text().size(); i++) {
        String line = document.text().get(i);
        boolean isTable = line.startsWith("|") && !document.isReadmeOfAModule();
        boolean isLink = line.startsWith("[") || line.startsWith("    ");
        if (!isTable && !isLink && line.codePointCount(0, line.length()) > MAX_LINE_CHARACTERS) {
          wide.add(document.name() + ":" + (i + 1));
        }
      }
    }
    assertThat(wide).as("lines of more than %d characters", MAX_LINE_CHARACTERS).isEmpty();
  }

  @Test
  void everyMetricIsInTheReference() throws IOException {
    assertThat(words("reference/metrics.md", METRIC, DocumentationTest::namesMetrics))
        .as("metrics that docs/reference/metrics.md lacks")
        .isEmpty();
  }

  @Test
  void everyReasonIsInTheReference() throws IOException {
    assertThat(words("reference/reasons.md", REASON, DocumentationTest::namesReasons))
        .as("reasons that docs/reference/reasons.md lacks")
        .isEmpty();
  }

  /// Words of the sources that a page does not mention.
  private static Set<String> words(String page, Pattern word, BiPredicate<Path, String> sources)
      throws IOException {
    String documented = Files.readString(ROOT.resolve("docs").resolve(page));
    Set<String> missing = new TreeSet<>();
    int found = 0;
    for (Path module : modules()) {
      try (Stream<Path> paths = Files.walk(module.resolve("src/main/java"))) {
        for (Path path : paths.filter(file -> file.toString().endsWith(".java")).toList()) {
          String source = Files.readString(path);
          if (sources.test(path, source)) {
            for (MatchResult match : word.matcher(source).results().toList()) {
              found++;
              if (!documented.contains("`" + match.group(1) + "`")) {
                missing.add(match.group(1));
              }
            }
          }
        }
      }
    }
    assertThat(found).as("words of the sources for %s", page).isGreaterThan(20);
    return missing;
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules.filter(module -> Files.isDirectory(module.resolve("src/main/java"))).toList();
    }
  }

  private static boolean namesMetrics(Path path, String source) {
    return source.contains("io.opentelemetry.api.metrics")
        || path.endsWith(Path.of("MetricNames.java"));
  }

  private static boolean namesReasons(Path path, String source) {
    String folder = path.getParent().toString();
    return folder.endsWith("/grpc")
        || folder.endsWith("/kit/failure")
        || folder.endsWith("/kit/auth");
  }

  @TestFactory
  Stream<DynamicTest> commandsMarkedAsRunnableRun(@TempDir Path directory) throws IOException {
    Path programs = directory.resolve("headgate");
    String java =
        Stream.concat(
                TestJvm.command().stream(),
                Stream.of(
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "io.headgate.sdk.cli.HeadgateCli"))
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(programs, "#!/bin/sh\nexec " + java + " \"$@\"\n");
    assertThat(programs.toFile().setExecutable(true)).isTrue();
    List<DynamicTest> tests = new ArrayList<>();
    for (Document document : documents()) {
      for (String block : document.runnable()) {
        tests.add(
            DynamicTest.dynamicTest(
                document.name() + ": " + block.lines().findFirst().orElse(""),
                () -> run(directory, block)));
      }
    }
    assertThat(tests).as("no block is marked as runnable").isNotEmpty();
    return tests.stream();
  }

  private static void run(Path directory, String block) throws Exception {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-euo", "pipefail", "-c", block)
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    environment.put("HOME", directory.toString());
    environment.put("XDG_CONFIG_HOME", directory.toString());
    environment.merge("PATH", directory.toString(), (path, first) -> first + ":" + path);
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).as("ends: %s", block).isTrue();
      assertThat(process.exitValue()).as("%s\n%s", block, Files.readString(output)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
