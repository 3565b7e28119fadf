package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Killing what a cgroup holds on kernels that have no switch for it, on a directory that looks
/// like a cgroup.
class CgroupsTest {
  @TempDir Path cgroup;

  @Test
  void killsOneByOneAndBelowWhereTheKernelHasNoSwitch() throws Exception {
    Process above = new ProcessBuilder("sleep", "1000").start();
    Process below = new ProcessBuilder("sleep", "1000").start();
    try {
      members(cgroup, above.pid());
      members(Files.createDirectory(cgroup.resolve("child")), below.pid());

      assertThat(Cgroups.kill(cgroup)).isTrue();
      assertThat(above.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(below.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      above.destroyForcibly();
      below.destroyForcibly();
    }
  }

  @Test
  void findsMembersBelowToo() throws Exception {
    members(cgroup);
    members(Files.createDirectory(cgroup.resolve("child")));
    assertThat(Cgroups.kill(cgroup)).isFalse();

    Files.createFile(cgroup.resolve("cgroup.kill"));
    members(cgroup.resolve("child"), 1);
    assertThat(Cgroups.kill(cgroup)).isTrue();
    assertThat(cgroup.resolve("cgroup.kill")).hasContent("1");
  }

  private static void members(Path group, long... pids) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (long pid : pids) {
      lines.append(pid).append('\n');
    }
    Files.writeString(group.resolve("cgroup.procs"), lines);
  }
}
