package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.Needed;
import io.headgate.kit.testing.TestJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Gangs whose workers are in two network namespaces. Everything runs in a process with a network
/// for itself ([GangSequence]).
class GangsIT {
  private static final List<String> ISOLATED =
      List.of("unshare", "--net", "--mount", "--kill-child", "--");
  private static final int TAIL = 80;

  /// Tries the needed rights in a network of its own.
  private static final String TRIED =
      """
      ip link add hg0 type bridge && unshare --net true \
      && iptables -t nat -A INPUT -p tcp -j SNAT --to-source 127.0.0.1 \
      && echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet
      """;

  @TempDir private Path directory;

  @Test
  void workersOnTwoNodesReachEachOtherAndStartTogether() throws Exception {
    Needed.NETNS.demand(run(List.of("sh", "-c", TRIED), directory.resolve("tried.log")) == 0);
    List<String> command = TestJvm.command();
    command.addAll(
        List.of(
            "-Xmx1g",
            "-cp",
            System.getProperty("java.class.path"),
            GangSequence.class.getName(),
            directory.toString()));
    Path log = directory.resolve("gangs.log");
    int status = run(command, log);
    List<String> said = Files.readAllLines(log);
    assertThat(status)
        .as(() -> String.join("\n", said.subList(Math.max(0, said.size() - TAIL), said.size())))
        .isZero();
  }

  private static int run(List<String> command, Path log) throws IOException, InterruptedException {
    List<String> isolated = new ArrayList<>(ISOLATED);
    isolated.addAll(command);
    Process process =
        new ProcessBuilder(isolated).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      return process.waitFor();
    } finally {
      process.destroyForcibly();
    }
  }
}
