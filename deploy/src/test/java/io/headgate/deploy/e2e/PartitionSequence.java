package io.headgate.deploy.e2e;

import java.nio.file.Path;

/// A sequence of faults in [Namespaces], as a program, because it takes a process with a network
/// for itself.
final class PartitionSequence {
  private PartitionSequence() {}

  /// @param words a directory, and the seed of the sequence
  public static void main(String[] words) {
    try {
      play(words);
      // Threads of libraries must not keep the process.
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void play(String[] words) throws Exception {
    Path directory = Path.of(words[0]);
    Namespaces network = Namespaces.on(directory.resolve("network"));
    FaultSequence sequence = FaultSequence.start(directory, Long.parseLong(words[1]), network);
    sequence.survives();
    sequence.runsElsewhereWhatAnAgentCannotReport(node -> {
      network.cutOffAgent(node, Network.BOTH);
      return network::mend;
    });
    sequence.end();
  }
}
