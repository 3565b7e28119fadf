package io.headgate.deploy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/// The ports of one scheduler process.
///
/// @param group port for the other schedulers of its group
record SchedulerPorts(int api, int metrics, int group) {
  static final int APART = 10;

  /// Each process has its ports ten above those of the one before: with an API at 7400, the first
  /// scheduler's is at 7410.
  ///
  /// @param api port of the installation; 0: free ones
  static List<SchedulerPorts> of(String host, int api, int count) throws IOException {
    List<SchedulerPorts> ports = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      int base = api + APART * i;
      ports.add(api == 0 ? free(host) : new SchedulerPorts(base, base + 1, base + 2));
    }
    return ports;
  }

  private static SchedulerPorts free(String host) throws IOException {
    InetAddress address = InetAddress.getByName(host);
    // All are open at once, so that they differ.
    try (ServerSocket api = new ServerSocket(0, 1, address);
        ServerSocket metrics = new ServerSocket(0, 1, address);
        ServerSocket group = new ServerSocket(0, 1, address)) {
      return new SchedulerPorts(api.getLocalPort(), metrics.getLocalPort(), group.getLocalPort());
    }
  }

  List<Integer> all() {
    return List.of(api, metrics, group);
  }
}
