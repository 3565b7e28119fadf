package io.headgate.sdk.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The command in a process of its own, with the class path of the tests.
final class CliProcess {
  /// So that a short process takes little; what javac made need not be verified.
  static final List<String> FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private CliProcess() {}

  /// The words that start it, to which others may be added in front.
  static List<String> command(String... words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            HeadgateCli.class.getName()));
    command.addAll(List.of(words));
    return command;
  }
}
