package io.headgate.deploy.simulate;

import io.headgate.deploy.PipedCli;
import java.util.ArrayList;
import java.util.List;

/// Runs `headgate simulate` in a pipe, without a server.
final class SimulateCli {
  private SimulateCli() {}

  static PipedCli.Result run(String... args) {
    return reading("", List.of(args));
  }

  /// With a scenario on standard input, which the command is told to read.
  static PipedCli.Result scenario(String text, String... flags) {
    List<String> args = new ArrayList<>(List.of("-"));
    args.addAll(List.of(flags));
    return reading(text, args);
  }

  private static PipedCli.Result reading(String input, List<String> args) {
    List<String> words = new ArrayList<>(List.of("simulate"));
    words.addAll(args);
    return PipedCli.run(input, words);
  }
}
