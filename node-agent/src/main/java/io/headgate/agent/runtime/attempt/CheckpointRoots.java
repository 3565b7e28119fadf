package io.headgate.agent.runtime.attempt;

import static java.util.Objects.requireNonNull;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.JobName;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The roots of the jobs' checkpoint directories. Only the operator of the machine names paths,
/// because the agent writes there as root; a pool refers to a storage by its name.
///
/// @param own of jobs whose pool names no storage
/// @param storages by name; never made, because a path that is missing is a mount that failed
public record CheckpointRoots(Path own, SortedMap<String, Path> storages) {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointRoots.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// A storage refused the agent. The machine's fault and not the job's, which may run elsewhere.
  public static final class StorageException extends IOException {
    private static final long serialVersionUID = 1;

    StorageException(String message) {
      super(message);
    }

    StorageException(String storage, IOException cause) {
      super("storage %s does not work here: %s".formatted(storage, cause), cause);
    }
  }

  /// A step that reads or writes a job's checkpoint directory.
  @FunctionalInterface
  public interface Step<T> {
    T on(Path directory) throws IOException;
  }

  public CheckpointRoots {
    TreeMap<String, Path> absolute = new TreeMap<>();
    storages.forEach((name, path) -> absolute.put(name, path.toAbsolutePath().normalize()));
    own = own.toAbsolutePath().normalize();
    storages = Collections.unmodifiableSortedMap(absolute);
  }

  public CheckpointRoots(Path own, Map<String, Path> storages) {
    this(own, new TreeMap<>(storages));
  }

  /// Why the machine cannot give the job its checkpoint directory; empty: it can.
  Optional<String> problem(Assignment assignment) {
    Optional<Path> root = root(assignment);
    if (root.isEmpty()) {
      return Optional.of(
          "this node has no path for storage %s (agent.storages)"
              .formatted(assignment.storage().orElse("")));
    }
    return assignment
        .storage()
        .filter(_ -> !Files.isDirectory(root.get()))
        .map(storage ->
            "storage %s is not there: %s is no directory (agent.storages)"
                .formatted(storage, root.get()));
  }

  /// The job's own directory; empty: the machine lacks the storage.
  public Optional<Path> directory(Assignment assignment) {
    JobName job = assignment.key().job();
    return root(assignment).map(root -> root.resolve(job.tenant()).resolve(job.id()));
  }

  /// Makes the agent's own root: a job that started without it would see it once another job makes
  /// it. A root on a file system that does not answer keeps no agent from its start.
  public void makeOwn() {
    Thread maker =
        Thread.ofPlatform()
            .daemon()
            .name("checkpoint root")
            .start(() -> {
              try {
                Files.createDirectories(own);
              } catch (IOException e) {
                LOG.warn("the root of checkpoints could not be made: {}", e.toString());
              }
            });
    try {
      if (!maker.join(PATIENCE)) {
        LOG.warn("the root of checkpoints, {}, does not answer", own);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Makes the job's directory. On a storage, only the tenant's directory and the job's are made,
  /// and nothing above: a mount may vanish at any moment.
  ///
  /// @throws StorageException when the storage is gone, or refuses
  public Path make(Assignment assignment) throws IOException {
    return use(
        assignment,
        directory -> {
          if (assignment.storage().isEmpty()) {
            return Files.createDirectories(directory);
          }
          makeOne(requireNonNull(directory.getParent()));
          makeOne(directory);
          return directory;
        });
  }

  private static void makeOne(Path directory) throws IOException {
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
  }

  /// The result of a step on the job's directory.
  ///
  /// @throws StorageException when the storage is gone, or refuses
  public <T> T use(Assignment assignment, Step<T> step) throws IOException {
    String storage = assignment.storage().orElse("");
    Path directory =
        directory(assignment)
            .orElseThrow(() -> new StorageException("storage " + storage + " has no path here"));
    try {
      return step.on(directory);
    } catch (IOException e) {
      throw storage.isEmpty() ? e : new StorageException(storage, e);
    }
  }

  /// All roots, there or not; nothing is asked of their file systems, which may not answer. A job
  /// sees none of them, only its own directory.
  public List<Path> all() {
    return Stream.concat(Stream.of(own), storages.values().stream()).distinct().toList();
  }

  private Optional<Path> root(Assignment assignment) {
    return assignment.storage().isEmpty()
        ? Optional.of(own)
        : Optional.ofNullable(storages.get(assignment.storage().get()));
  }
}
