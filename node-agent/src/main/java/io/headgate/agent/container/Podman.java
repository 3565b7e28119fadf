package io.headgate.agent.container;

import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.agent.process.FreshProgram;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Podman fetches images, keeps them and mounts their files: as containers that it never starts. It
/// has no daemon, so nothing of it is there but while it is called.
///
/// @param program its path
/// @param pullTimeout how long it may take for an image
/// @param description name and version
record Podman(Path program, Duration pullTimeout, String description) implements ImageStore {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration GLANCE = Duration.ofMillis(50);
  private static final int MAX_ANSWER = 1 << 20;
  private static final int MAX_PROBLEM = 500;
  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /// What of the agent's environment it is for: the way to registries, and who is known there.
  private static final List<String> PASSED_ON =
      List.of(
          "HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy");

  /// What an image says of its job's surroundings: values, each ended by NUL, which none contains.
  private static final String SURROUNDINGS =
      "{{.Config.WorkingDir}}{{\"\\x00\"}}{{range .Config.Env}}{{.}}{{\"\\x00\"}}{{end}}";

  /// Tries it.
  ///
  /// @throws IOException why it cannot be used
  static Podman open(Path program, Duration pullTimeout) throws IOException, InterruptedException {
    Podman podman = new Podman(program, pullTimeout, "podman");
    String answer = podman.run(PATIENCE, () -> false, "version", "--format", "{{.Client.Version}}");
    return new Podman(program, pullTimeout, "podman " + answer.strip());
  }

  @Override
  public Image open(String name, String image, PullPolicy pull, BooleanSupplier abandoned)
      throws IOException, InterruptedException {
    String when =
        switch (pull) {
          case ALWAYS -> "always";
          case IF_NOT_PRESENT -> "missing";
          case NEVER -> "never";
        };
    try {
      run(
          pullTimeout,
          abandoned,
          "create",
          "--quiet",
          "--replace",
          "--name=" + name,
          "--pull=" + when,
          // It would make volumes that stay.
          "--image-volume=ignore",
          "--network=none",
          "--",
          image,
          "never-started");
    } catch (FailedException e) {
      throw new ImageException("image %s cannot be had: %s".formatted(image, e.getMessage()));
    }
    String root = run(PATIENCE, abandoned, "mount", "--", name).strip();
    // The image by its number: its name may be another's by now.
    String number = run(PATIENCE, abandoned, "inspect", "--format", "{{.Image}}", "--", name);
    String[] words =
        run(PATIENCE, abandoned, "image", "inspect", "--format", SURROUNDINGS, "--", number.strip())
            .split("\0", -1);
    return new Image(
        Path.of(root),
        Optional.of(words[0]).filter(directory -> directory.startsWith("/")),
        environment(List.of(words).subList(1, words.length - 1)));
  }

  private static SortedMap<String, String> environment(List<String> entries) {
    SortedMap<String, String> environment = new TreeMap<>();
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      if (equals > 0) {
        environment.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    return environment;
  }

  @Override
  public void remove(String name) throws IOException, InterruptedException {
    run(PATIENCE, () -> false, "rm", "--force", "--ignore", "--time=0", "--", name);
  }

  @Override
  public List<String> list(String prefix) throws IOException, InterruptedException {
    return run(PATIENCE, () -> false, "ps", "--all", "--format", "{{.Names}}")
        .lines()
        .map(String::strip)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }

  private String run(Duration patience, BooleanSupplier abandoned, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(new File("/")).redirectInput(new File("/dev/null"));
    SortedMap<String, String> environment = new TreeMap<>(builder.environment());
    environment.keySet().retainAll(PASSED_ON);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("PATH", PATH);
    Process process = FreshProgram.start(builder);
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
          "podman %s: %s".formatted(arguments[0], shortened(problem.join().strip())));
    }
    return answer.join();
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
  private static final class FailedException extends IOException {
    private static final long serialVersionUID = 1;

    FailedException(String message) {
      super(message);
    }
  }
}
