package io.headgate.deploy.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.TestJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sources have the format that `-Pformat spotless:apply` writes.
///
/// google-java-format runs in a JVM of its own, because it needs another guava than the product has
/// and packages of the compiler that no program here may use. Maven puts it into
/// `target/formatter`.
@Order(1)
class FormatTest {
  @TempDir private Path directory;

  @Test
  void everySourceHasTheFormatOfGoogleJavaFormat() throws Exception {
    assertThat(Sources.all()).isNotEmpty();
    assertThat(wronglyFormatted(Sources.all()))
        .as("apply the format: JAVA_HOME=<JDK 25> mvn -Pformat spotless:apply")
        .isEmpty();
  }

  @Test
  void aSourceWithAnotherFormatIsNamed() throws Exception {
    Path wrong =
        Files.writeString(directory.resolve("Wrong.java"), "class Wrong {  int value; }\n");
    Path right =
        Files.writeString(directory.resolve("Right.java"), "class Right {\n  int value;\n}\n");
    assertThat(wronglyFormatted(List.of(wrong, right))).containsExactly(wrong.toString());
  }

  /// Names of the files that the formatter would change.
  private List<String> wronglyFormatted(List<Path> sources)
      throws IOException, InterruptedException {
    Path files = directory.resolve("files");
    Files.write(files, sources.stream().map(Path::toString).toList());
    List<String> command = TestJvm.command();
    Stream.of("api", "code", "file", "parser", "tree", "util")
        .map("--add-exports=jdk.compiler/com.sun.tools.javac.%s=ALL-UNNAMED"::formatted)
        .forEach(command::add);
    command.addAll(
        List.of(
            "-classpath",
            "target/formatter/*",
            "com.google.googlejavaformat.java.Main",
            "--dry-run",
            "--skip-reflowing-long-strings",
            "@" + files));
    Process formatter = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output;
    try (var lines = formatter.getInputStream()) {
      output = new String(lines.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(formatter.waitFor()).as(output).isZero();
    return output.lines().toList();
  }
}
