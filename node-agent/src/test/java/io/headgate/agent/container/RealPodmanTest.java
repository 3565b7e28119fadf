package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceNode;
import io.headgate.kit.testing.Needed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The contract of image stores against the real podman.
class RealPodmanTest extends ImageStoreContract {
  private static final Path BUSYBOX = Path.of("/bin/busybox");
  private static final Path RUNC = Path.of("/usr/sbin/runc");

  RealPodmanTest() {
    super(ImageStores.Wanted.PODMAN);
  }

  @Test
  void enginesGiveAContainerWhatASpecificationSays() throws Exception {
    Needed.BUSYBOX.demand(Files.isExecutable(BUSYBOX));
    Needed.RUNC.demand(Files.isExecutable(RUNC));
    String owner = "test" + ProcessHandle.current().pid();
    CdiDirectory cdi = new CdiDirectory(Path.of("/var/run/cdi"), owner);
    String name = owner + ".acme.j.1.0";
    RealPodman podman = (RealPodman) engine();
    podman.load(ImageArchive.make(Files.createDirectory(root.resolve("parts")), List.of(BUSYBOX)));
    try {
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
              ImageArchive.NAME,
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
