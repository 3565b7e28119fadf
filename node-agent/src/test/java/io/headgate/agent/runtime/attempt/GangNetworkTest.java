package io.headgate.agent.runtime.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobName;
import io.headgate.agent.core.WorkerAddress;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GangNetworkTest {
  private static AttemptKey key(String job, int worker) {
    return new AttemptKey(JobName.parse("tenants/acme/jobs/" + job), "uid", 1, worker);
  }

  /// A network with one port, which is free.
  private static GangNetwork withOnePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      int port = free.getLocalPort();
      return new GangNetwork(
          new GangNetwork.Settings(Optional.of("10.0.0.1"), List.of(), port, port));
    }
  }

  @Test
  void givesAPortToOneGangUntilItHasEnded() throws IOException {
    GangNetwork gangs = withOnePort();
    WorkerAddress first = gangs.reserve(key("a", 0), Optional.empty());
    assertThatThrownBy(() -> new ServerSocket(first.masterPort()).close())
        .as("held until the program starts")
        .isInstanceOf(IOException.class);
    gangs.letGo(key("a", 0));
    new ServerSocket(first.masterPort()).close();
    assertThatThrownBy(() -> gangs.reserve(key("b", 0), Optional.empty()))
        .hasMessageContaining("gang.first-port");
    gangs.free(key("a", 0));
    assertThat(gangs.reserve(key("b", 0), Optional.empty())).isEqualTo(first);
    gangs.free(key("b", 0));
  }

  @Test
  void otherWorkersNeedNoPort() throws IOException {
    assertThat(withOnePort().reserve(key("a", 1), Optional.empty()))
        .isEqualTo(new WorkerAddress("10.0.0.1", 0));
  }

  @Test
  void keepsThePortThatOthersMayKnow() throws IOException {
    GangNetwork gangs = withOnePort();
    try (ServerSocket foreign = new ServerSocket(0)) {
      WorkerAddress earlier = new WorkerAddress("10.0.0.9", foreign.getLocalPort());
      assertThatThrownBy(() -> gangs.reserve(key("a", 0), Optional.of(earlier)))
          .hasMessageContaining("another program took port");
    }
  }
}
