package io.headgate.sdk.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs the command in a process of its own, with the class path of the tests.
final class CliProcess {
  /// Speeds up a short process; the classes that javac made need no verification.
  static final List<String> FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private CliProcess() {}

  /// The words that start the command; a caller may put others before them.
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
