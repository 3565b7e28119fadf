package io.headgate.kit.testing;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The JVM of the tests, as the processes that they start want it too.
public final class TestJvm {
  private TestJvm() {}

  /// The program and the flags that this process was started with, but for the size of its heap.
  public static List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("-XX:") || flag.startsWith("--"))
        .forEach(command::add);
    return command;
  }
}
