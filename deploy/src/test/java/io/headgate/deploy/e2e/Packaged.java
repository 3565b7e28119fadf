package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The packaged jars of a build, as `deploy/headgate` runs them. The JDK can archive the classes of
/// whole jars from one start to the next.
enum Packaged {
  /// The command line alone.
  CLI(Path.of("../sdk/target"), "headgate-sdk-*.jar"),
  /// With the services and agents, for `headgate up`.
  UP(Path.of("target"), "headgate-deploy-*.jar");

  private final Path target;
  private final String jar;

  Packaged(Path target, String jar) {
    this.target = target;
    this.jar = jar;
  }

  /// Java with these flags, up to where the main class is named.
  List<String> java(String... flags) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of(flags));
    command.add("-cp");
    command.add(classPath());
    return command;
  }

  /// Classes of `up` that an orderly end has left to the next start.
  static Path archive() {
    return UP.target.resolve("up-it.jsa");
  }

  private String classPath() throws IOException {
    List<String> jars = new ArrayList<>(jars(target, jar));
    assertThat(jars).as("packaged in " + target.toAbsolutePath()).isNotEmpty();
    jars.addAll(jars(target.resolve("lib"), "*.jar"));
    return String.join(File.pathSeparator, jars);
  }

  private static List<String> jars(Path directory, String name) throws IOException {
    List<String> jars = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, name)) {
      found.forEach(jar -> jars.add(jar.toString()));
    }
    jars.sort(null);
    return jars;
  }
}
