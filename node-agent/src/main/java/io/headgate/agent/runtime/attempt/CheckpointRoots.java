package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.JobName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The roots of the jobs' checkpoint directories. Only the operator of the machine names paths,
/// because the agent writes there as root; a pool refers to a storage by its name.
///
/// @param own of jobs whose pool names no storage; made when it is first needed
/// @param storages by name; never made, because a path that is missing is a mount that failed
public record CheckpointRoots(Path own, SortedMap<String, Path> storages) {
  public CheckpointRoots {
    TreeMap<String, Path> absolute = new TreeMap<>();
    storages.forEach((name, path) -> absolute.put(name, path.toAbsolutePath()));
    own = own.toAbsolutePath();
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

  /// All roots that are there. A job sees none of them, only its own directory.
  public List<Path> present() {
    return Stream.concat(Stream.of(own), storages.values().stream())
        .filter(Files::isDirectory)
        .distinct()
        .toList();
  }

  private Optional<Path> root(Assignment assignment) {
    return assignment.storage().isEmpty()
        ? Optional.of(own)
        : Optional.ofNullable(storages.get(assignment.storage().get()));
  }
}
