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
  static void check(int port) {
    for (int each = port; port != 0 && each <= port + 1; each++) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), each));
      } catch (IOException e) {
        throw new UsageException(
            "port %d is taken by another program%s"
                .formatted(each, each == port ? "" : " (metrics are at the port after the API's)"),
            "PORT_TAKEN",
            "choose another: headgate up --port " + (port + FURTHER) % 65_000);
      }
    }
  }
}
