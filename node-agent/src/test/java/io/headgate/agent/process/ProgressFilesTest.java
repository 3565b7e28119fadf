package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.JobProgress.Said;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The agent parses the progress files of a job, and ignores anything else that the job puts there.
class ProgressFilesTest {
  private static final Said NOTHING = new Said(OptionalDouble.empty(), "", 0);

  @TempDir Path attempt;
  private Path progress;
  private Path checkpointed;

  @BeforeEach
  void makeHome() throws Exception {
    Path home = Files.createDirectory(attempt.resolve("work"));
    progress = home.resolve(".headgate-progress");
    checkpointed = home.resolve(".headgate-checkpointed");
  }

  private Said read() throws Exception {
    return ProgressFiles.read(attempt);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0.4                | 0.4    | ''",
        "400/1000           | 0.4    | ''",
        "400/1000 epoch 3   | 0.4    | epoch 3",
        "1                  | 1      | ''",
        "0                  | 0      | ''",
        "1.000000/3.000000  | 0.3333 | ''",
        "0.99999            | 0.9999 | ''",
      })
  void readsAPartOrStepsWithAMessage(String text, double fraction, String message)
      throws Exception {
    Files.writeString(progress, text + "\nof this nothing is read\n");
    assertThat(read()).isEqualTo(new Said(OptionalDouble.of(fraction), message, 0));
  }

  @Test
  void masksValuesOfAVault() throws Exception {
    Files.writeString(attempt.resolve("masked"), "hunter2-hunter2\0" + "x".repeat(600) + "\0");
    Files.writeString(progress, "0.4 with hunter2-hunter2");
    assertThat(read().message()).isEqualTo("with ***************");
    Files.writeString(progress, "0.4 with " + "x".repeat(600));
    assertThat(read().message()).isEqualTo("with " + "*".repeat(95));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n0.4",
        "half",
        "-0.1",
        "1.1",
        "3/2",
        "0/0",
        "1/0",
        "NaN",
        "0.4%",
        "1e-3",
        "0x1p-1",
        "0000000000000000000000.1"
      })
  void takesWhatMakesNoSenseForNothing(String text) throws Exception {
    Files.writeString(progress, text);
    assertThat(read()).isEqualTo(NOTHING);
  }

  @Test
  void takesNothingOfAMessageThatATerminalWouldObey() throws Exception {
    Files.writeString(progress, "0.5 \u001b[31mred\u0000 \u202eback " + "x".repeat(200));
    assertThat(read().message()).startsWith("[31mred   back xxx").hasSize(99);
  }

  @Test
  void readsNoMoreThanTheBeginningOfAFile() throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(progress.toFile(), "rw")) {
      file.setLength(1L << 40);
    }
    assertThat(read()).isEqualTo(NOTHING);
    Files.writeString(checkpointed, "x".repeat(100_000));
    assertThat(read().checkpoint()).isNotZero();
  }

  @Test
  void seesEachCheckpointAsAnother() throws Exception {
    Files.createFile(checkpointed);
    long first = read().checkpoint();
    assertThat(read().checkpoint()).isEqualTo(first).isNotZero();
    Files.move(Files.createFile(attempt.resolve("work/new")), attempt.resolve("work/newer"));
    Path newer = attempt.resolve("work/newer");
    // The kernel's clock goes in ticks of milliseconds.
    while (read().checkpoint() == first) {
      Files.writeString(newer, "");
      Files.move(newer, checkpointed, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      Files.createFile(newer);
    }
    // A time that the job sets is not looked at.
    Files.setLastModifiedTime(checkpointed, java.nio.file.attribute.FileTime.fromMillis(42));
    assertThat(read().checkpoint()).isGreaterThan(first);
  }

  @Test
  void followsNoLinkAndWaitsForNoWriter() throws Exception {
    Path secret = Files.writeString(attempt.resolve("secret"), "0.4 of somebody else");
    Files.createSymbolicLink(progress, secret);
    Files.createSymbolicLink(checkpointed, secret);
    assertThat(read()).isEqualTo(NOTHING);
    Files.delete(progress);
    Files.createLink(progress, secret);
    assertThat(read()).isEqualTo(NOTHING);
    for (Path file : new Path[] {progress, checkpointed}) {
      Files.delete(file);
      assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    }
    assertThat(read()).isEqualTo(NOTHING);
    Files.delete(progress);
    Files.createDirectory(progress);
    assertThat(read()).isEqualTo(NOTHING);
    Files.delete(progress);
    Files.delete(checkpointed);
    Files.delete(attempt.resolve("work"));
    Files.createSymbolicLink(attempt.resolve("work"), Files.createDirectory(attempt.resolve("b")));
    Files.writeString(attempt.resolve("b/.headgate-progress"), "0.4");
    assertThat(read()).isEqualTo(NOTHING);
  }
}
