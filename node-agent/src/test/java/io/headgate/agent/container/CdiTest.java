package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Specifications of the Container Device Interface, and their files.
class CdiTest {
  @TempDir Path root;

  private static CdiSpec spec(String name) {
    return new CdiSpec(
        name,
        new TreeMap<>(Map.of("CUDA_VISIBLE_DEVICES", "MIG-1", "ODD", "a \"quoted\"\n\\ é")),
        List.of(
            new DeviceNode("nvidiactl", 195, 255),
            new DeviceNode("nvidia-caps/nvidia-cap31", 234, 31)),
        List.of(
            new CdiSpec.Mount(Path.of("/run/mps/a/shm"), Path.of("/dev/shm"), false),
            new CdiSpec.Mount(Path.of("/usr/lib/l.so"), Path.of("/usr/lib/l.so"), true)));
  }

  @Test
  void saysExactlyWhatTheSliceIs() {
    assertThat(spec("5f.acme.j.1.0").toJson())
        .isEqualTo(
            """
            {
              "cdiVersion": "0.3.0",
              "kind": "headgate.io/slice",
              "devices": [{"name": "5f.acme.j.1.0", "containerEdits": {
                "env": ["CUDA_VISIBLE_DEVICES=MIG-1", "ODD=a \\"quoted\\"\\u000a\\\\ é"],
                "deviceNodes": [{"path": "/dev/nvidiactl", "type": "c", "major": 195, "minor": 255, "permissions": "rw"}, {"path": "/dev/nvidia-caps/nvidia-cap31", "type": "c", "major": 234, "minor": 31, "permissions": "rw"}],
                "mounts": [{"hostPath": "/run/mps/a/shm", "containerPath": "/dev/shm", "options": ["rbind", "nosuid", "nodev", "rw"]}, {"hostPath": "/usr/lib/l.so", "containerPath": "/usr/lib/l.so", "options": ["rbind", "nosuid", "nodev", "ro"]}]
              }}]
            }
            """);
  }

  @Test
  void isAFileAsLongAsTheAttempt() throws Exception {
    Path directory = root.resolve("run/cdi");
    CdiDirectory files = new CdiDirectory(directory, "5f");
    files.remove("5f.acme.j.1.0");
    files.write(spec("5f.acme.j.1.0"));
    files.write(spec("5f.acme.j.1.0"));
    Path file = directory.resolve("headgate.io-slice-5f.acme.j.1.0.json");
    assertThat(directory)
        .isDirectoryContaining(file::equals)
        .isDirectoryNotContaining(other -> !other.equals(file));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .as("engines of other users read it")
        .isEqualTo("rw-r--r--");
    files.remove("5f.acme.j.1.0");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void afterACrashOnlyThoseOfOthersAndOfWhatLivesStay() throws Exception {
    CdiDirectory files = new CdiDirectory(root.resolve("cdi"), "5f");
    files.retain(Set.of());
    for (String name : List.of("5f.acme.lives.1.0", "5f.acme.gone.1.0", "5f1.acme.other.1.0")) {
      files.write(spec(name));
    }
    Files.createFile(root.resolve("cdi/headgate.io-slice-5f.acme.gone.2.0.json.new"));
    Files.createFile(root.resolve("cdi/nvidia.yaml"));
    files.retain(Set.of("5f.acme.lives.1.0"));
    try (Stream<Path> left = Files.list(root.resolve("cdi"))) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "headgate.io-slice-5f.acme.lives.1.0.json",
              "headgate.io-slice-5f1.acme.other.1.0.json",
              "nvidia.yaml");
    }
  }
}
