package io.headgate.scheduler.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/// Finds out whether anybody listens at an address.
public final class PortProbe {
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private PortProbe() {}

  /// Whether the machine answers that no process listens on the port. A hung process still listens,
  /// and a machine without any answer may be behind a broken network.
  ///
  /// @param address `host:port`
  public static boolean isRefused(String address) {
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, colon);
    int port = Integer.parseInt(address.substring(colon + 1));
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), Math.toIntExact(PATIENCE.toMillis()));
      return false;
    } catch (ConnectException e) {
      // Told apart by its kind alone: other failures of connecting have kinds of their own.
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
