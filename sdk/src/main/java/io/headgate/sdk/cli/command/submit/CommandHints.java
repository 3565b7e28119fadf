package io.headgate.sdk.cli.command.submit;

import io.headgate.proto.pool.v1.JobFiles;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.model.JobSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Hints about programs, files and directories that a job will not find, though its submitter sees
/// them. Jobs with an image find the files of the image, so nothing is said about them.
///
/// @param directory the current one
/// @param view of the submitter's files; empty: not known
/// @param nodes which files their jobs see; asked only if a word of the command is a path here
record CommandHints(Path directory, Optional<String> view, Supplier<List<JobFiles>> nodes) {
  private static final String JOBS_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  private static final int MOST_WORDS = 100;
  private static final int MOST_HINTS = 3;

  /// Lines to print, each a hint or its remedy.
  List<String> of(JobSpec spec) {
    if (spec.container() != null || spec.command().isEmpty()) {
      return List.of();
    }
    String program = spec.command().getFirst();
    if (spec.command().size() == 1 && program.matches(".*\\s.*") && !exists(program)) {
      return List.of(
          "warning: \"%s\" is one word, and so the name of one program".formatted(clean(program)),
          "  leave out its quotes: -- %s     or let a shell read it: -- sh -c '%s'"
              .formatted(clean(program), clean(program)));
    }
    List<String> hints = new ArrayList<>();
    absent(spec, program).ifPresent(hints::add);
    String workdir = spec.workingDirectory();
    boolean named = workdir != null && workdir.startsWith("/");
    if (named) {
      add(hints, hidden(Path.of(workdir), false));
    }
    for (int i = 0; i < Math.min(spec.command().size(), MOST_WORDS); i++) {
      String word = spec.command().get(i);
      String text = word.startsWith("-") ? word.substring(word.indexOf('=') + 1) : word;
      if (i == 0 && text.indexOf('/') < 0) {
        continue; // It is found by the PATH.
      }
      add(hints, hint(text, named ? Path.of(workdir) : null, i == 0));
    }
    return hints.stream().distinct().limit(2L * MOST_HINTS).toList();
  }

  private static void add(List<String> hints, List<String> more) {
    if (!hints.containsAll(more)) {
      hints.addAll(more);
    }
  }

  private List<String> hint(String text, @Nullable Path workdir, boolean runs) {
    if (text.startsWith("/")) {
      return text.length() > 1 && exists(text) ? hidden(Path.of(text), runs) : List.of();
    }
    boolean isPath = text.indexOf('/') >= 0 || text.indexOf('.') > 0;
    if (!isPath || text.contains("://") || !exists(text)) {
      return List.of();
    }
    if (workdir == null) {
      return List.of(
          "warning: jobs do not see %s: they start in an empty directory of their own"
              .formatted(clean(text)),
          "  name the directory: --workdir " + directory);
    }
    Path there = workdir.resolve(text);
    return Files.exists(there) ? hidden(there, runs) : List.of();
  }

  /// Empty if a node shows the path to its jobs, or none says anything.
  private List<String> hidden(Path path, boolean runs) {
    if (!Files.exists(path)) {
      return List.of();
    }
    String first = null;
    for (JobFiles files : nodes.get()) {
      String problem = new JobView(files, view).problem(path, runs);
      if (problem == null) {
        return List.of();
      }
      first = first == null ? problem : first;
    }
    return first == null
        ? List.of()
        : List.of(
            "warning: jobs do not see %s: %s".formatted(clean(path.toString()), first),
            "  share a directory that is open to all users: headgate up --share DIR"
                + ", and submit with --workdir DIR");
  }

  /// A program that is nowhere in the PATH of jobs, on this machine.
  private Optional<String> absent(JobSpec spec, String program) {
    String path = spec.environment().getOrDefault("PATH", JOBS_PATH);
    boolean isThere =
        program.indexOf('/') >= 0
            || Arrays.stream(path.split(":"))
                .flatMap(CommandHints::asPath)
                .anyMatch(at -> Files.isExecutable(at.resolve(program)));
    return isThere || nodes.get().stream().noneMatch(it -> new JobView(it, view).isHere())
        ? Optional.empty()
        : Optional.of(
            "warning: program not found: %s; jobs search PATH %s"
                .formatted(clean(program), clean(path)));
  }

  private static Stream<Path> asPath(String text) {
    return text.startsWith("/") ? Stream.of(Path.of(text)) : Stream.empty();
  }

  private boolean exists(String text) {
    return text.indexOf('\0') < 0 && Files.exists(directory.resolve(text));
  }

  private static String clean(String text) {
    return PrintableText.line(text);
  }
}
