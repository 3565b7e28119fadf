package io.headgate.deploy.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The contract in `proto` follows the rules of `proto/buf.yaml`.
class ContractTest {
  private static final List<String> BUF = List.of("npx", "--yes", "@bufbuild/buf@1.75.0");
  private static final Path PROTO = Sources.ROOT.resolve("proto");

  /// Files that the contract imports and does not contain. The libraries on the class path have
  /// them, so buf needs no registry of its own.
  private static final List<String> IMPORTED =
      List.of(
          "google/api/annotations.proto",
          "google/api/field_behavior.proto",
          "google/api/http.proto",
          "google/api/resource.proto",
          "buf/validate/validate.proto");

  @TempDir private Path directory;

  private record Run(boolean passed, String output) {}

  @Test
  void theContractPassesTheLint() throws Exception {
    demandBuf();
    Run lint =
        lint(Files.readString(PROTO.resolve("buf.yaml")), PROTO.resolve("src/main/protobuf"));
    assertThat(lint.passed()).as(lint.output()).isTrue();
  }

  @Test
  void aMessageWithoutACommentFailsTheLint() throws Exception {
    demandBuf();
    Path contract = Files.createDirectories(directory.resolve("wrong/headgate/wrong/v1"));
    Files.writeString(
        contract.resolve("wrong.proto"),
        """
        syntax = "proto3";
        package headgate.wrong.v1;
        message Wrong {}
        """);
    Run lint = lint(Files.readString(PROTO.resolve("buf.yaml")), directory.resolve("wrong"));
    assertThat(lint.passed()).isFalse();
    assertThat(lint.output()).contains("Message \"Wrong\" should have a non-empty comment");
  }

  private static void demandBuf() throws IOException, InterruptedException {
    boolean there;
    try {
      there = run(BUF, Sources.ROOT, "--version").passed();
    } catch (IOException e) {
      there = false;
    }
    Needed.NPX.demand(there);
  }

  /// Lints one directory of contracts under the rules of `rules`.
  private Run lint(String rules, Path contracts) throws IOException, InterruptedException {
    Path workspace = Files.createDirectories(directory.resolve("workspace"));
    Path sources = workspace.resolve("src/main/protobuf");
    try (Stream<Path> files = Files.walk(contracts)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = sources.resolve(contracts.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    for (String name : IMPORTED) {
      Path copy = workspace.resolve("target/buf-imports").resolve(name);
      Files.createDirectories(copy.getParent());
      try (InputStream file = ContractTest.class.getResourceAsStream("/" + name)) {
        assertThat(file).as(name).isNotNull();
        Files.copy(file, copy);
      }
    }
    Files.writeString(workspace.resolve("buf.yaml"), rules);
    return run(BUF, workspace, "lint");
  }

  private static Run run(List<String> program, Path directory, String argument)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(program);
    command.add(argument);
    Path said = Files.createTempFile("buf", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      process.getOutputStream().close();
      boolean ended = process.waitFor(2, TimeUnit.MINUTES);
      if (!ended) {
        process.destroyForcibly();
      }
      return new Run(ended && process.exitValue() == 0, Files.readString(said));
    } finally {
      Files.delete(said);
    }
  }
}
