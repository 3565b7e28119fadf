package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Judges what processes wrote into their logs, each of which is a file of a directory.
final class ProcessLogs {
  private static final Pattern OBEYS = Pattern.compile(" reports to Leadership\\[.*epoch=(\\d+)");

  private static final Pattern SEEN =
      Pattern.compile(" (scheduler-\\d) (is in a group|joined the group|left the group) of (.*)");

  private ProcessLogs() {}

  /// None of them met what it did not expect.
  static void checkErrors(Path directory) throws IOException {
    for (Path log : logs(directory)) {
      assertThat(Files.readAllLines(log))
          .as("errors in %s", log)
          .noneMatch(line -> line.contains(" ERROR i.h."));
    }
  }

  /// Each agent obeyed leaders of rising epochs only, also across its own restarts.
  ///
  /// @param directory of the logs of agents
  static void checkEpochs(Path directory) throws IOException {
    for (Path log : logs(directory)) {
      List<Long> epochs =
          Files.readAllLines(log).stream()
              .map(ProcessLogs::obeyed)
              .flatMap(Optional::stream)
              .toList();
      assertThat(epochs).as("epochs of leaders in %s", log).isNotEmpty().isSorted();
    }
  }

  /// The members that each scheduler saw last in its group.
  ///
  /// @param directory of the logs of schedulers
  static List<Set<String>> groups(Path directory) throws IOException {
    List<Set<String>> groups = new ArrayList<>();
    for (Path log : logs(directory)) {
      Set<String> group = new HashSet<>();
      for (String line : Files.readAllLines(log)) {
        Matcher seen = SEEN.matcher(line);
        if (seen.find()) {
          switch (seen.group(2)) {
            case "is in a group" -> {
              group.clear();
              group.addAll(List.of(seen.group(3).split("[\\[\\], ]+")));
              group.remove("");
            }
            case "joined the group" -> group.add(seen.group(1));
            default -> group.remove(seen.group(1));
          }
        }
      }
      groups.add(group);
    }
    return groups;
  }

  private static Optional<Long> obeyed(String line) {
    Matcher obeys = OBEYS.matcher(line);
    return obeys.find() ? Optional.of(Long.valueOf(obeys.group(1))) : Optional.empty();
  }

  private static List<Path> logs(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".log")).toList();
    }
  }
}
