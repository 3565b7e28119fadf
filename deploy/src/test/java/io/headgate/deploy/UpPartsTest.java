package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.deploy.demo.Demo;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.sdk.config.Pool;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Decisions of `up` before any start, and the command line's words for the core's reasons.
class UpPartsTest {
  @TempDir Path directory;

  @Test
  void aTakenPortIsNamedBeforeAnythingStarts() throws IOException {
    try (ServerSocket taken = takenAfterAFreeOne()) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> FreePorts.check("127.0.0.1", port, 0))
          .hasMessageContaining("port " + port);
      assertThatThrownBy(() -> FreePorts.check("127.0.0.1", port - 1, 0))
          .hasMessageContaining("port " + port)
          .hasMessageContaining("metrics");
    }
    FreePorts.check("127.0.0.1", 0, 3);
  }

  @Test
  void anAddressOfAnotherMachineIsNotCalledATakenPort() {
    // An address of the block for documentation, which no machine has.
    assertThatThrownBy(() -> FreePorts.check("192.0.2.1", 7400, 0))
        .hasMessageContaining("this machine has no address 192.0.2.1");
  }

  @Test
  void programsOfThisMachineFindWhatListensEverywhere() {
    InstallationConfig config = InstallationConfig.of(directory, 0);
    assertThat(config.localHost()).isEqualTo("127.0.0.1");
    assertThat(config.withHost("0.0.0.0").localHost()).isEqualTo("127.0.0.1");
    assertThat(config.withHost("127.0.0.2").localHost()).isEqualTo("127.0.0.2");
  }

  private static ServerSocket takenAfterAFreeOne() throws IOException {
    while (true) {
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        return new ServerSocket(free.getLocalPort() + 1, 1, InetAddress.getLoopbackAddress());
      } catch (BindException _) {
        // The next port is taken: try another pair.
      }
    }
  }

  @Test
  void theLastTenantIsRemembered() throws IOException {
    assertThat(ChosenTenant.read(directory)).isEmpty();
    ChosenTenant.write(directory, "acme");
    ChosenTenant.write(directory, "beta");
    assertThat(ChosenTenant.read(directory)).hasValue("beta");
  }

  @Test
  void newAgentsJoinThePoolOfTheirModel() throws IOException {
    List<Pool> pools = Demo.configuration().pools();

    assertThat(NodePools.forModel("a100", pools)).isEqualTo("cloud-burst");
    assertThatThrownBy(() -> NodePools.forModel("H100", pools))
        .hasMessageContaining("the configuration has no static pool for H100");
    assertThatThrownBy(() -> NodePools.forModel("", pools))
        .hasMessageContaining("machines without GPUs");
  }

  @Test
  void helpKnowsEveryReasonOfTheCore() throws Exception {
    String help;
    try (InputStream in = Reason.class.getResourceAsStream("/help/reasons.txt")) {
      help = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    for (Class<?> kind : Reason.class.getPermittedSubclasses()) {
      String code = withoutNumbers(kind).code();
      assertThat(help.lines()).as(code).anyMatch(line -> line.startsWith("  " + code + " "));
    }
  }

  /// A reason of this kind, for tests that only read its code.
  private static Reason withoutNumbers(Class<?> kind) throws Exception {
    Constructor<?> constructor = kind.getDeclaredConstructors()[0];
    Object[] nothing =
        Arrays.stream(constructor.getParameterTypes())
            .map(type -> type == List.class ? List.of() : type == int.class ? 0 : null)
            .toArray();
    return (Reason) constructor.newInstance(nothing);
  }
}
