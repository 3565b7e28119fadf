package io.headgate.sdk.cli.command.submit;

import io.headgate.proto.pool.v1.JobFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The view of the jobs of one node on a path that exists on this machine.
///
/// @param files as the node reports them
/// @param own the view of this process; empty: not known
record JobView(JobFiles files, Optional<String> own) {
  /// Directories that each machine has, with content of its own.
  private static final List<Path> SYSTEM =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt", "/dev", "/proc", "/sys")
          .stream()
          .map(Path::of)
          .toList();

  /// The node's jobs and this process see the same files, but for those that are kept from jobs.
  boolean isHere() {
    return own.filter(files.getView()::equals).isPresent();
  }

  /// Why its jobs do not see the path, as a clause; null: they do, or nothing is known against it.
  ///
  /// @param path absolute, of a file or directory that is there
  /// @param runs it is the program that the job runs
  @Nullable String problem(Path path, boolean runs) {
    return isHere() ? here(real(path), runs) : elsewhere(path.normalize());
  }

  private @Nullable String here(Path path, boolean runs) {
    Path shared = above(files.getSharedList(), path);
    Path hidden = above(files.getHiddenList(), path);
    if (shared == null && hidden != null) {
      return "jobs find a directory of their own at " + hidden;
    }
    return files.getOwnUsers() ? closed(path, shared, runs) : null;
  }

  private @Nullable String elsewhere(Path path) {
    if (above(files.getSharedList(), path) != null || SYSTEM.stream().anyMatch(path::startsWith)) {
      return null;
    }
    Path hidden = above(files.getHiddenList(), path);
    return hidden != null
        ? "jobs find a directory of their own at " + hidden
        : "jobs run on another machine, which is not known to share it";
  }

  /// The first part of the path that is not open to all users.
  private static @Nullable String closed(Path path, @Nullable Path shared, boolean runs) {
    Path at = shared == null ? Path.of("/") : shared;
    try {
      for (Path name : at.relativize(path)) {
        if (!open(at, PosixFilePermission.OTHERS_EXECUTE)) {
          return "each job is a user of its own, and " + at + " is closed to other users";
        }
        at = at.resolve(name);
      }
      boolean enters = runs || Files.isDirectory(path);
      return open(
              path, enters ? PosixFilePermission.OTHERS_EXECUTE : PosixFilePermission.OTHERS_READ)
          ? null
          : "each job is a user of its own, and " + path + " is closed to other users";
    } catch (IOException | UnsupportedOperationException e) {
      return null;
    }
  }

  private static boolean open(Path path, PosixFilePermission wanted) throws IOException {
    Set<PosixFilePermission> all = Files.getPosixFilePermissions(path);
    return all.contains(wanted);
  }

  /// The directory of the list that holds the path; null: none.
  private static @Nullable Path above(List<String> directories, Path path) {
    return directories.stream()
        .map(Path::of)
        .filter(directory -> path.startsWith(directory) || path.startsWith(real(directory)))
        .map(directory -> path.startsWith(directory) ? directory : real(directory))
        .findFirst()
        .orElse(null);
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.normalize();
    }
  }
}
