package io.headgate.kit.config;

import java.util.List;
import java.util.stream.Collectors;

/// The configuration is invalid. The exception carries all problems, not only the first.
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<ConfigProblem> problems;

  public ConfigException(List<ConfigProblem> problems) {
    super(
        problems.stream()
            .map(ConfigProblem::toString)
            .collect(Collectors.joining("\n", "the configuration is refused:\n", "")));
    this.problems = List.copyOf(problems);
  }

  public List<ConfigProblem> problems() {
    return problems;
  }
}
