package io.headgate.deploy.prose;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Comments and Markdown files are written so that a stranger reads each sentence once.
class ProseTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Set<String> PASSED_OVER = Set.of("target", ".git", "node_modules");
  private static final Set<String> SOURCES = Set.of("java", "c", "h", "proto");

  @Test
  void commentsAndMarkdownBreakNoRuleOfProse() throws IOException {
    assertThat(offences()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Whoever leads writes the row. | name the subject",
        "The process who leads writes the row. | for people",
        "The slice is to be removed. | the agent stops",
        "No slice can be had. | is available",
        "It takes that which is free. | use a noun",
        "It decides on what waits. | name the thing",
        "A refusal costs next to nothing. | give the number",
        "It does the same. | the same what",
        "By these the first is taken. | repeat the noun",
        "Those of one agent. | repeat the noun",
        "The agent waits so long. | give the number",
        "Of two jobs the second waits. | begin with the subject",
        "What is refused costs little. | begin with a noun"
      })
  void everyRuleFindsItsPhraseInAComment(String sentence, String remedy) {
    assertThat(
            Prose.offences(CommentReader.passages("/// " + sentence + "\nclass A {}").getFirst()))
        .singleElement()
        .satisfies(offence -> assertThat(offence.text()).contains(remedy));
  }

  @Test
  void aSentenceOfMoreThan35WordsIsFoundAcrossLines() {
    String source = "// " + "word ".repeat(20) + "\n  // " + "word ".repeat(16) + ".\n";
    assertThat(Prose.offences(CommentReader.passages(source).getFirst()))
        .extracting(Prose.Offence::text)
        .singleElement()
        .asString()
        .contains("36 words");
  }

  @Test
  void usersMayBeWhoAndQuestionsMayAskWhat() {
    String source =
        """
        /// The user who submitted it sees the job. What happens next?
        class A { String url = "https://who.example/whoever"; } // The same job.
        """;
    assertThat(CommentReader.passages(source)).hasSize(2);
    assertThat(CommentReader.passages(source)).flatExtracting(Prose::offences).isEmpty();
  }

  private static List<String> offences() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : proseFiles()) {
      for (Passage passage : passages(file)) {
        for (Prose.Offence offence : Prose.offences(passage)) {
          found.add("%s:%d: %s".formatted(ROOT.relativize(file), offence.line(), offence.text()));
        }
      }
    }
    return found;
  }

  private static List<Passage> passages(Path file) throws IOException {
    String text = Files.readString(file);
    return file.toString().endsWith(".md")
        ? List.of(new Passage(1, text.lines().toList()))
        : CommentReader.passages(text);
  }

  private static List<Path> proseFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return PASSED_OVER.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            String ending = name.substring(name.lastIndexOf('.') + 1);
            if (ending.equals("md") || SOURCES.contains(ending)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }
}
