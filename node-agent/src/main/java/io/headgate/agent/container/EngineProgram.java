package io.headgate.agent.container;

import io.headgate.agent.process.FreshProgram;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The program that controls a container engine.
///
/// @param path of the program
/// @param prefix arguments that each call begins with
/// @param directory that it runs in
record EngineProgram(Path path, List<String> prefix, Path directory) {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration GLANCE = Duration.ofMillis(50);
  private static final int MAX_ANSWER = 1 << 20;
  private static final int MAX_PROBLEM = 500;

  /// The variables that the engine inherits from the agent: access to registries and their logins.
  private static final List<String> PASSED_ON =
      List.of(
          "HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy");

  EngineProgram {
    prefix = List.copyOf(prefix);
  }

  static EngineProgram at(Path path, String... prefix) {
    return new EngineProgram(path, List.of(prefix), Path.of("/"));
  }

  /// Returns a copy that runs in another directory.
  EngineProgram in(Path other) {
    return new EngineProgram(path, prefix, other);
  }

  /// Runs it and returns its output.
  ///
  /// @throws FailedException when it ended badly
  String run(String... arguments) throws IOException, InterruptedException {
    return run(PATIENCE, () -> false, arguments);
  }

  /// Runs it and returns its output.
  ///
  /// @param abandoned polled often; true: the caller no longer wants the result
  /// @throws FailedException when it ended badly, or was ended
  String run(Duration patience, BooleanSupplier abandoned, String... arguments)
      throws IOException, InterruptedException {
    Process process = start(arguments);
    CompletableFuture<String> answer = read(process.getInputStream());
    CompletableFuture<String> problem = read(process.getErrorStream());
    long glances = patience.dividedBy(GLANCE);
    while (!process.waitFor(GLANCE.toMillis(), TimeUnit.MILLISECONDS)) {
      if (glances-- <= 0 || abandoned.getAsBoolean()) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        throw new FailedException(
            glances < 0 ? "no answer for %d s".formatted(patience.toSeconds()) : "not wanted");
      }
    }
    if (process.exitValue() != 0) {
      throw new FailedException(
          "%s: %s".formatted(called(arguments[0]), shortened(problem.join().strip())));
    }
    return answer.join();
  }

  private String called(String first) {
    return first.startsWith("-") ? path.getFileName().toString() : path.getFileName() + " " + first;
  }

  private Process start(String... arguments) throws IOException, InterruptedException {
    if (!Files.isExecutable(path)) {
      throw new IOException("there is no program " + path);
    }
    List<String> command = new ArrayList<>(List.of(path.toString()));
    command.addAll(prefix);
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(new File("/dev/null"));
    SortedMap<String, String> environment = new TreeMap<>(builder.environment());
    environment.keySet().retainAll(PASSED_ON);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("PATH", FreshProgram.PATH);
    // By its newer ways mount hands options over in portions of 256 bytes, too few for layers.
    builder.environment().put("LIBMOUNT_FORCE_MOUNT2", "always");
    return FreshProgram.start(builder);
  }

  private static String shortened(String problem) {
    String line = problem.replaceAll("\\s+", " ");
    return line.length() <= MAX_PROBLEM ? line : "… " + line.substring(line.length() - MAX_PROBLEM);
  }

  private static CompletableFuture<String> read(InputStream stream) {
    CompletableFuture<String> text = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try (stream) {
        byte[] bytes = stream.readNBytes(MAX_ANSWER);
        stream.transferTo(OutputStream.nullOutputStream());
        text.complete(new String(bytes, StandardCharsets.UTF_8));
      } catch (IOException e) {
        text.completeExceptionally(new UncheckedIOException(e));
      }
    });
    return text;
  }

  /// It ended badly, or was ended.
  static final class FailedException extends IOException {
    private static final long serialVersionUID = 1;

    FailedException(String message) {
      super(message);
    }
  }
}
