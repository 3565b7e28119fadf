package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Judges what processes wrote into their logs, each of which is a file of a directory.
final class ProcessLogs {
  private static final Pattern OBEYS = Pattern.compile(" reports to Leadership\\[.*epoch=(\\d+)");

  private ProcessLogs() {}

  /// None of them met what it did not expect.
  static void checkErrors(Path directory) throws IOException {
    for (Path log : logs(directory)) {
      assertThat(Files.readAllLines(log))
          .as("errors in %s", log)
          .noneMatch(line -> line.contains(" ERROR i.h."));
    }
  }

  /// Whoever an agent turned to was no earlier leader than the one before, also after the agent had
  /// died.
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
