package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.GangEnvironment;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.WorkerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// How the gangs of this node reach each other: its address, and the ports that it reserves. For
/// any thread.
///
/// A reserved port is held by a socket until the program starts. It is given to no other gang until
/// the attempt has ended.
public final class GangNetwork {
  private static final String ANY_SCHEME_PORT = "9";

  private final Settings settings;
  private final Map<AttemptKey, Integer> taken = new HashMap<>(); // guarded by this
  private final Map<AttemptKey, ServerSocket> held = new HashMap<>(); // guarded by this

  /// Settings of a node's gangs.
  ///
  /// @param address of the node for other nodes; empty: the local address of a connection to a
  ///   scheduler
  /// @param schedulers that the agent connects to
  /// @param firstPort of the range of reserved ports
  /// @param lastPort of the range
  public record Settings(
      Optional<String> address, List<URI> schedulers, int firstPort, int lastPort) {
    /// One machine by itself.
    public static final Settings ALONE =
        new Settings(Optional.of("127.0.0.1"), List.of(), 29500, 29999);

    public Settings {
      schedulers = List.copyOf(schedulers);
    }
  }

  public GangNetwork(Settings settings) {
    this.settings = settings;
  }

  /// The address of a worker, with a port if it is worker 0.
  ///
  /// @param earlier its address before a restart of the agent, whose port others may know
  /// @throws IOException when no port is free
  synchronized WorkerAddress reserve(AttemptKey key, Optional<WorkerAddress> earlier)
      throws IOException {
    if (earlier.isPresent()) {
      if (earlier.get().masterPort() > 0
          && !held.containsKey(key)
          && !hold(key, earlier.get().masterPort())) {
        throw new IOException(
            "another program took port %d, which was reserved for the gang"
                .formatted(earlier.get().masterPort()));
      }
      return earlier.get();
    }
    String host = address();
    if (key.worker() != 0) {
      return new WorkerAddress(host, 0);
    }
    Set<Integer> others = new HashSet<>(taken.values());
    for (int port = settings.firstPort(); port <= settings.lastPort(); port++) {
      if (!others.contains(port) && hold(key, port)) {
        return new WorkerAddress(host, port);
      }
    }
    throw new IOException(
        "no port of gang.first-port to gang.last-port (%d to %d) is free for MASTER_PORT"
            .formatted(settings.firstPort(), settings.lastPort()));
  }

  /// The program of an adopted attempt may use its port.
  synchronized void adopted(AttemptKey key, WorkerAddress address) {
    if (address.masterPort() > 0) {
      taken.put(key, address.masterPort());
    }
  }

  /// The program starts now and may use its port.
  synchronized void letGo(AttemptKey key) throws IOException {
    ServerSocket socket = held.remove(key);
    if (socket != null) {
      socket.close();
    }
  }

  /// The attempt has ended.
  synchronized void free(AttemptKey key) throws IOException {
    taken.remove(key);
    letGo(key);
  }

  private boolean hold(AttemptKey key, int port) {
    try {
      held.put(key, new ServerSocket(port, 1));
      taken.put(key, port);
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  private String address() throws IOException {
    if (settings.address().isPresent()) {
      return settings.address().get();
    }
    IOException last = new IOException("no scheduler is known");
    for (URI scheduler : settings.schedulers()) {
      // A connected datagram channel sends nothing, and has the address of the route.
      try (DatagramChannel channel = DatagramChannel.open()) {
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        channel.connect(
            new InetSocketAddress(scheduler.getHost(), Integer.parseInt(ANY_SCHEME_PORT)));
        if (channel.getLocalAddress() instanceof InetSocketAddress local) {
          return local.getAddress().getHostAddress();
        }
      } catch (IOException | RuntimeException e) {
        last = new IOException("no route leads to " + scheduler, e);
      }
    }
    throw new IOException("the node's address is unknown; set gang.address", last);
  }

  /// The network interface with that address of this node; empty: unknown.
  public static Optional<String> networkInterface(String host) {
    try {
      return Optional.ofNullable(NetworkInterface.getByInetAddress(InetAddress.getByName(host)))
          .map(NetworkInterface::getName);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Writes the file with the hosts of a gang into the directory; nothing for other jobs.
  ///
  /// @return its path
  public static String writeHostfile(Path directory, Optional<Rendezvous> rendezvous)
      throws IOException {
    Path file = directory.resolve(GangEnvironment.HOSTFILE);
    if (rendezvous.isPresent()) {
      Files.writeString(file, GangEnvironment.hostfile(rendezvous.get().hosts()));
    }
    return file.toString();
  }
}
