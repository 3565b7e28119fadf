package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.headgate.agent.container.ImageStore.ImageException;
import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.agent.core.DeviceNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the real podman does with what we ask of it.
class RealPodmanTest {
  private static final Path BUSYBOX = Path.of("/bin/busybox");
  private static final Path RUNC = Path.of("/usr/sbin/runc");

  @TempDir Path root;

  @Test
  void hasImagesFilesAndLeavesNothing() throws Exception {
    try (RealPodman podman = RealPodman.in(root)) {
      ImageStore store = Podman.open(podman.program(), Duration.ofMinutes(1));
      podman.makeImage(Files.writeString(root.resolve("hello"), "there"));
      ImageStore.Image image =
          store.open("headgate.1", RealPodman.IMAGE, PullPolicy.NEVER, () -> false);

      assertThat(image.root().resolve("hello")).hasContent("there");
      assertThat(image.workingDirectory()).contains("/w");
      assertThat(image.environment()).containsEntry("A", "b=c");
      Files.createDirectory(image.root().resolve("place"));
      // A later agent, which knows of nothing, begins anew, and there is no second one.
      image = store.open("headgate.1", RealPodman.IMAGE, PullPolicy.IF_NOT_PRESENT, () -> false);
      assertThat(image.root()).isDirectoryNotContaining("glob:**place");
      assertThat(store.list("headgate.")).containsExactly("headgate.1");
      assertThat(store.list("other.")).isEmpty();
      store.remove("headgate.1");
      store.remove("headgate.1");
      assertThat(store.list("")).isEmpty();
      assertThat(image.root().resolve("hello")).doesNotExist();
      assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain("" + image.root());
      assertThat(podman.call("volume", "ls", "--quiet")).isEmpty();
    }
  }

  @Test
  void saysWhichImageThereIsNot() throws Exception {
    try (RealPodman podman = RealPodman.in(root)) {
      ImageStore store = Podman.open(podman.program(), Duration.ofMinutes(1));
      assertThatExceptionOfType(ImageException.class)
          .isThrownBy(() -> store.open("a", "localhost/none:1", PullPolicy.NEVER, () -> false))
          .withMessageStartingWith("image localhost/none:1 cannot be had: podman create: Error: ");
    }
  }

  @Test
  void enginesGiveAContainerWhatASpecificationSays() throws Exception {
    assumeThat(BUSYBOX).as("NOT TRIED without it: busybox-static").isExecutable();
    assumeThat(RUNC).as("NOT TRIED without it: runc").isExecutable();
    String owner = "test" + ProcessHandle.current().pid();
    CdiDirectory cdi = new CdiDirectory(Path.of("/var/run/cdi"), owner);
    String name = owner + ".acme.j.1.0";
    try (RealPodman podman = RealPodman.in(root)) {
      podman.makeImage(BUSYBOX);
      cdi.write(
          new CdiSpec(
              name,
              new TreeMap<>(Map.of("CUDA_VISIBLE_DEVICES", "MIG-1", "ODD", "a \"quoted\" \\ é")),
              List.of(new DeviceNode("nvidia-caps/nvidia-cap31", 10, 229)),
              List.of(new CdiSpec.Mount(podman.program(), Path.of("/lent"), true))));
      String said =
          podman.call(
              "--runtime",
              RUNC.toString(),
              "run",
              // As the machine may allow less than podman is used to.
              "--ulimit=nofile=1024:1024",
              "--ulimit=nproc=1000:1000",
              "--rm",
              "--network=none",
              "--workdir=/",
              "--device",
              CdiSpec.KIND + "=" + name,
              RealPodman.IMAGE,
              "/busybox",
              "sh",
              "-c",
              "/busybox ls -l /dev/nvidia-caps; echo $CUDA_VISIBLE_DEVICES; echo $ODD;"
                  + " /busybox touch /lent 2>&1 || true");
      assertThat(said.lines())
          .anyMatch(line -> line.matches("crw-rw-rw-.* 10, 229 .*nvidia-cap31"))
          .contains("MIG-1", "a \"quoted\" \\ é")
          .anyMatch(line -> line.contains("Read-only"));
    } finally {
      cdi.remove(name);
    }
  }
}
