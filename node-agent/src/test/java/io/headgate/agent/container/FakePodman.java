package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/// A program that stands in for podman: its images are empty, its containers directories. The image
/// `absent` does not exist, and pulling `slow` never ends.
public final class FakePodman {
  private static final String SCRIPT =
      """
      #!/bin/bash
      store=$(dirname "$0")/store
      echo "$*" >> "$store/calls"
      last=${!#}
      [[ -e $0.broken && $1 != version ]] && { echo 'Error: database is locked' >&2; exit 125; }
      case $1 in
        version) echo 9.9 ;;
        create)
          [[ $* == *localhost/absent* ]] && { echo 'Error: no such image' >&2; exit 125; }
          [[ $* == *localhost/slow* ]] && sleep 1000
          [[ $* =~ --name=([^ ]*) ]] && mkdir "$store/${BASH_REMATCH[1]}" ;;
        mount) echo "$store/$last" ;;
        inspect) echo 4711 ;;
        image) printf '/usr\\0OF_IMAGE=a=b\\0HEADGATE_JOB=forged\\0PATH=/usr/bin:/bin\\0' ;;
        ps) cd "$store" && ls -d headgate.* 2> /dev/null ;;
        rm) rm -rf "$store/$last" ;;
      esac
      true
      """;

  private final Path store;
  private final Path program;

  private FakePodman(Path directory) {
    this.store = directory.resolve("store");
    this.program = directory.resolve("podman");
  }

  /// One in a directory of its own.
  public static FakePodman in(Path root) throws IOException {
    FakePodman podman = new FakePodman(Files.createDirectory(root.resolve("podman")));
    Files.createDirectory(podman.store);
    Files.writeString(podman.program, SCRIPT);
    Files.setPosixFilePermissions(podman.program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return podman;
  }

  /// Its path.
  public Path program() {
    return program;
  }

  /// Makes its store unreadable.
  void breakDown() throws IOException {
    Files.createFile(program.resolveSibling("podman.broken"));
  }

  /// Adds a container, as if an earlier agent had left it.
  public void leave(String container) throws IOException {
    Files.createDirectory(store.resolve(container));
  }

  /// Containers that there are.
  public List<String> containers() throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.equals("calls"))
          .sorted()
          .toList();
    }
  }

  /// The command lines with which the agent called podman, one per call.
  public List<String> calls() throws IOException {
    assertThat(store.resolve("calls")).exists();
    return Files.readAllLines(store.resolve("calls"));
  }
}
