package io.headgate.deploy;

import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;

/// Checks the ports before any part starts, so that a taken port costs neither a start nor a stop.
final class FreePorts {
  private static final int FURTHER = 100;

  private FreePorts() {}

  /// @param host address to listen on
  /// @param port of the API; metrics use the next one; 0: any free port
  /// @param schedulers number of scheduler processes, which have ports of their own
  static void check(String host, int port, int schedulers) throws IOException {
    if (port == 0) {
      return;
    }
    InetAddress address = InetAddress.ofLiteral(host);
    check(address, port, "");
    check(address, port + 1, " (metrics are at the port after the API's)");
    for (SchedulerPorts ports : SchedulerPorts.of(host, port, schedulers)) {
      for (int each : ports.all()) {
        check(address, each, " (schedulers are at every tenth port after the API's)");
      }
    }
  }

  private static void check(InetAddress address, int port, String whose) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port));
    } catch (BindException e) {
      if (!isOurs(address)) {
        throw new UsageException(
            "this machine has no address %s".formatted(address.getHostAddress()),
            "BAD_FLAG_VALUE",
            "name one of its addresses, 0.0.0.0 for all of them, or leave out --ip for 127.0.0.1");
      }
      throw new UsageException(
          "port %d is in use by another program%s".formatted(port, whose),
          "PORT_TAKEN",
          "choose another: headgate up --port " + (port + FURTHER) % 65_000);
    }
  }

  private static boolean isOurs(InetAddress address) throws SocketException {
    return address.isAnyLocalAddress()
        || address.isLoopbackAddress()
        || NetworkInterface.getByInetAddress(address) != null;
  }
}
