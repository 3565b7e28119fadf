package io.headgate.agent.driver.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.runtime.ledger.AgentNames;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MpsDirectoryTest {
  /// As many characters as the kernel takes for the path of a socket.
  private static final int SOCKET_PATH = 107;

  /// The longest that `gpu.mps.directory` may be.
  private static final int DIRECTORY = 56;

  private static MpsDirectory place(AgentNames.Form form, MpsProtocol protocol) {
    Path parent = Path.of("/" + "d".repeat(DIRECTORY - 1));
    return MpsDirectory.of(
        parent.resolve(new AgentNames(Path.of("/data"), form).mps()), "slice", protocol);
  }

  @ParameterizedTest
  @EnumSource
  void pathsOfSocketsFitHoweverTheAgentIsNamed(AgentNames.Form form) {
    MpsDirectory second = place(form, MpsProtocol.V2);
    assertThat(second.pipe().resolve("control_privileged").toString())
        .hasSizeLessThanOrEqualTo(SOCKET_PATH);
    MpsDirectory third = place(form, MpsProtocol.V3);
    assertThat(third.pipe().resolve("control_privileged").toString())
        .hasSizeLessThanOrEqualTo(SOCKET_PATH);
    assertThat(third.sockets().resolve("control").toString()).hasSizeLessThanOrEqualTo(SOCKET_PATH);
  }

  @ParameterizedTest
  @EnumSource
  void aDirectoryTellsTheProtocolOfItsDaemon(MpsProtocol protocol) {
    MpsDirectory place = place(AgentNames.Form.SHA_256, protocol);
    assertThat(new MpsDirectory(place.directory()).protocol()).isEqualTo(protocol);
    assertThat(new MpsDirectory(Path.of("/run/0123456789abcdef")).protocol())
        .as("of an older agent")
        .isEqualTo(MpsProtocol.V2);
  }
}
