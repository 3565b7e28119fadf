package io.headgate.deploy.grafana;

import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// The files with which a Prometheus and a Grafana of this machine watch one installation.
///
/// @param directory absolute; other files in it stay as they are
public record Observation(Path directory) {
  private static final String CODE = "BAD_FLAG_VALUE";
  private static final String SETTINGS = "prometheus.yml";

  /// The first line of each YAML file that is written here.
  private static final String MARK =
      "# headgate up --observe writes this file, and loses changes.\n";

  private static final String PROMETHEUS = "http://127.0.0.1:9090";
  private static final String TEMPO = "http://127.0.0.1:3200";

  public Observation {
    directory = directory.toAbsolutePath().normalize();
  }

  /// Creates the directories, and refuses what cannot be written. Called before anything starts.
  public void check() {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new UsageException(
          "\"" + directory + "\" is not a directory for --observe",
          CODE,
          "name a directory; it is created if it is missing");
    }
    Set<String> names = contents(List.of(), directory).keySet();
    requireWritable(directory);
    names.stream().map(this::parent).distinct().forEach(Observation::requireWritable);
    for (String name : names) {
      Path file = directory.resolve(name);
      if (name.endsWith("ml") && Files.exists(file) && !isOwn(file)) {
        throw new UsageException(
            "\"" + file + "\" is not a file of Headgate, and --observe would replace it",
            CODE,
            "name an empty directory, or move the file away");
      }
    }
  }

  /// The directory of one of the files.
  private Path parent(String name) {
    return Objects.requireNonNull(directory.resolve(name).getParent());
  }

  private static void requireWritable(Path directory) {
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, ".headgate", ".tmp"));
    } catch (IOException e) {
      throw new UsageException(
          "--observe cannot write to \"%s\": %s".formatted(directory, cause(e)),
          CODE,
          "name a directory that you may write to, such as --observe ~/headgate-observe");
    }
  }

  /// Why a file could not be written, in words.
  public static String cause(IOException failure) {
    return switch (failure) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "the directory does not exist and cannot be created there";
      case FileAlreadyExistsException e -> "\"" + e.getFile() + "\" is not a directory";
      case FileSystemException e when e.getReason() != null -> firstLower(e.getReason());
      default -> firstLower(String.valueOf(failure.getMessage()));
    };
  }

  private static String firstLower(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
  }

  private static boolean isOwn(Path file) {
    try (var lines = Files.lines(file)) {
      return lines.findFirst().filter(first -> first.equals(MARK.strip())).isPresent();
    } catch (IOException | java.io.UncheckedIOException e) {
      return false;
    }
  }

  /// Writes all files. A reader sees the old or the new content of each, and nothing between.
  ///
  /// @param addresses of the scrape endpoints of all processes
  /// @param token file with the token that a scrape sends
  public void write(Collection<URI> addresses, Path token) throws IOException {
    for (Map.Entry<String, String> file : contents(addresses, token).entrySet()) {
      Path target = directory.resolve(file.getKey());
      Files.createDirectories(Objects.requireNonNull(target.getParent()));
      // Not a temporary file of the library: other users run Prometheus and Grafana.
      Path next = target.resolveSibling(".headgate-" + UUID.randomUUID() + ".tmp");
      try {
        Files.writeString(next, file.getValue(), StandardOpenOption.CREATE_NEW);
        replace(next, target);
      } finally {
        Files.deleteIfExists(next);
      }
    }
  }

  private static void replace(Path next, Path target) throws IOException {
    try {
      Files.move(next, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(next, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /// How to start Prometheus with them.
  public String command() {
    return "prometheus --config.file=%s --storage.tsdb.path=%s --enable-feature=exemplar-storage"
            .formatted(quoted(directory.resolve(SETTINGS)), quoted(directory.resolve("data")))
        + " --web.listen-address=127.0.0.1:9090";
  }

  /// As a word of a shell.
  private static String quoted(Path path) {
    String text = path.toString();
    return text.matches("[A-Za-z0-9_./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private SortedMap<String, String> contents(Collection<URI> addresses, Path token) {
    SortedMap<String, String> files = new TreeMap<>();
    GrafanaFiles.all()
        .forEach((name, text) -> files.put(name, name.endsWith(".json") ? text : MARK + text));
    // Prometheus has the same alerts, and Grafana shows those.
    files.keySet().removeIf(name -> name.startsWith("provisioning/alerting/"));
    files.put(SETTINGS, MARK + Yaml.dump(settings(addresses, token)));
    files.put(
        "provisioning/datasources/headgate.yaml",
        MARK + Yaml.dump(Provisioning.datasources(PROMETHEUS, TEMPO)));
    files.put(
        "provisioning/dashboards/headgate.yaml",
        MARK + Yaml.dump(Provisioning.dashboards(directory.resolve("dashboards").toString())));
    return files;
  }

  private static Map<String, Object> settings(Collection<URI> addresses, Path token) {
    return JsonFields.of(
            "global",
            JsonFields.of("scrape_interval", "15s").put("evaluation_interval", "15s").map())
        .put("rule_files", List.of(GrafanaFiles.RULES))
        .put(
            "scrape_configs",
            List.of(
                JsonFields.of("job_name", "headgate")
                    .put(
                        "authorization",
                        JsonFields.of("credentials_file", token.toAbsolutePath().toString()).map())
                    .put(
                        "static_configs",
                        List.of(
                            JsonFields.of(
                                    "targets", addresses.stream().map(URI::getAuthority).toList())
                                .map()))
                    .map()))
        .map();
  }
}
