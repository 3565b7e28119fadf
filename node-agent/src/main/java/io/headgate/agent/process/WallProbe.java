package io.headgate.agent.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Which walls can be raised on this machine, by raising them: the supervisor's program tries each.
public final class WallProbe {
  private final Map<Wall, String> problems;

  /// A wall that may stand or not.
  public enum Wall {
    USER("user"),
    NAMESPACES("namespaces"),
    NETWORK("network"),
    SYSCALLS("syscalls"),
    FENCE_PROGRAM("fence"),
    METADATA("metadata");

    private final String word;

    Wall(String word) {
      this.word = word;
    }
  }

  private WallProbe(Map<Wall, String> problems) {
    this.problems = problems;
  }

  /// Tries.
  ///
  /// @param program as extracted by [SupervisorBinary]
  /// @param cgroups in one of which a fence is tried
  public static WallProbe run(Path program, Cgroups cgroups)
      throws IOException, InterruptedException {
    String name = "probe";
    Optional<Path> cgroup = cgroups.make(name);
    List<String> command =
        Stream.concat(Stream.of(program.toString(), "--probe"), cgroup.map(Path::toString).stream())
            .toList();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    Process process = FreshProgram.start(builder);
    Map<String, String> answers = new HashMap<>();
    try (Stream<String> lines = process.inputReader().lines()) {
      lines
          .map(line -> line.split("=", 2))
          .filter(words -> words.length == 2)
          .forEach(words -> answers.put(words[0], words[1]));
    }
    process.waitFor();
    if (cgroup.isPresent()) {
      Cgroups.killAndRemove(cgroup.get());
    }
    Map<Wall, String> problems = new HashMap<>();
    for (Wall wall : Wall.values()) {
      problems.put(wall, answers.getOrDefault(wall.word, "there is no cgroup v2 to try it in"));
    }
    return new WallProbe(problems);
  }

  /// Why the wall cannot be raised; empty: it can.
  public Optional<String> problem(Wall wall) {
    return Optional.of(problems.getOrDefault(wall, "")).filter(problem -> !problem.isEmpty());
  }
}
