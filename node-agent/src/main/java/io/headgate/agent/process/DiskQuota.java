package io.headgate.agent.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Limits of the space that the directories of an attempt take, by project quotas of their file
/// systems. The supervisor's program makes the calls. One agent's attempts may call from several
/// threads.
public final class DiskQuota {
  private final Path program;
  private final int firstProject;
  private final int projects;
  private final Path root;

  /// The space of an attempt.
  ///
  /// @param bytes more than 0
  /// @param files how many files and directories; more than 0
  public record Space(long bytes, long files) {}

  /// Quotas that have not been tried yet.
  ///
  /// @param program as extracted by [SupervisorBinary]
  /// @param firstProject of the range that attempts get
  /// @param root a directory on the file system whose quotas are used
  public DiskQuota(Path program, int firstProject, int projects, Path root) {
    this.program = program;
    this.firstProject = firstProject;
    this.projects = projects;
    this.root = root;
  }

  /// Tries the quotas: a file in the root grows beyond a limit.
  ///
  /// @return why they do not work; empty: they do
  public Optional<String> problem() throws IOException {
    Result result = run("--disk-probe", List.of(), List.of(root));
    return result.code == 0 ? Optional.empty() : Optional.of(result.problem);
  }

  /// Removes limits that an earlier agent left without a directory.
  public void sweep() throws IOException {
    require("--disk-sweep", List.of(), List.of(root));
  }

  /// The space that all jobs together may have: what is free, and what jobs have.
  public Space room() throws IOException {
    String[] words = require("--disk-room", List.of(), List.of(root)).output.split(" ", 2);
    try {
      return new Space(Long.parseLong(words[0]), Long.parseLong(words[1]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new IOException("the room below " + root + " cannot be read", e);
    }
  }

  /// Limits the directories together, without those on other file systems. May be repeated.
  ///
  /// @param start where in the range the search for a project begins
  /// @param directories of one attempt. The first one is its own, and on the root's file system
  public synchronized void limit(int start, Space space, List<Path> directories)
      throws IOException {
    require(
        "--disk-limit",
        List.of((long) Math.max(0, start - firstProject), space.bytes, space.files),
        here(directories));
  }

  /// Takes the limit of an attempt back, and frees its project. May be repeated, and does nothing
  /// to directories without a limit.
  ///
  /// @param directories as for [#limit]; all are there
  public synchronized void free(List<Path> directories) throws IOException {
    require("--disk-free", List.of(), here(directories));
  }

  private List<Path> here(List<Path> directories) throws IOException {
    List<Path> here = new ArrayList<>();
    for (Path directory : directories) {
      if (device(directory).equals(device(root))) {
        here.add(directory);
      }
    }
    return here;
  }

  private static Object device(Path directory) throws IOException {
    return Files.getAttribute(directory, "unix:dev", LinkOption.NOFOLLOW_LINKS);
  }

  private record Result(int code, String output, String problem) {}

  private Result require(String command, List<Long> numbers, List<Path> directories)
      throws IOException {
    Result result = run(command, numbers, directories);
    if (result.code != 0) {
      throw new IOException("cannot limit the disk space of a job: " + result.problem);
    }
    return result;
  }

  private Result run(String command, List<Long> numbers, List<Path> directories)
      throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                program.toString(),
                command,
                Integer.toString(firstProject),
                Integer.toString(projects)));
    numbers.forEach(number -> words.add(Long.toString(number)));
    directories.forEach(directory -> words.add(directory.toString()));
    ProcessBuilder builder = new ProcessBuilder(words).redirectInput(new File("/dev/null"));
    builder.environment().clear();
    try {
      Process process = FreshProgram.start(builder);
      // One short line on either, so none fills its pipe while the other is read.
      String output = text(process.getInputStream().readAllBytes());
      String problem = text(process.getErrorStream().readAllBytes());
      return new Result(process.waitFor(), output, problem);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while disk space was limited", e);
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8).strip();
  }
}
