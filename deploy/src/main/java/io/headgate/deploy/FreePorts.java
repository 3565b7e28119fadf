package io.headgate.deploy;

import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/// Looks at the ports before anything is started, so that a taken one costs no start and no stop.
final class FreePorts {
  private static final int FURTHER = 100;

  private FreePorts() {}

  /// @param port of the API, metrics are at the next one; 0: any that is free
  /// @param schedulers processes that have ports of their own
  static void check(int port, int schedulers) throws IOException {
    if (port == 0) {
      return;
    }
    check(port, "");
    check(port + 1, " (metrics are at the port after the API's)");
    for (SchedulerPorts ports : SchedulerPorts.of("127.0.0.1", port, schedulers)) {
      for (int each : ports.all()) {
        check(each, " (schedulers are at every tenth port after the API's)");
      }
    }
  }

  private static void check(int port, String whose) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UsageException(
          "port %d is taken by another program%s".formatted(port, whose),
          "PORT_TAKEN",
          "choose another: headgate up --port " + (port + FURTHER) % 65_000);
    }
  }
}
