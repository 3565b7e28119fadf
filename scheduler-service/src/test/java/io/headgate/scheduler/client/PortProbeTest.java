package io.headgate.scheduler.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

final class PortProbeTest {
  @Test
  void knowsWhetherAProcessListens() throws IOException {
    ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    String address = "127.0.0.1:" + listener.getLocalPort();
    // It listens and does not answer, as a process that stands still.
    assertThat(PortProbe.isRefused(address)).isFalse();
    listener.close();
    assertThat(PortProbe.isRefused(address)).isTrue();
  }

  @Test
  void anUnknownHostCountsAsPossiblyThere() {
    assertThat(PortProbe.isRefused("no-such-host.invalid:7400")).isFalse();
  }
}
