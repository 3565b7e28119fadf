package io.headgate.kit.grpc;

import io.headgate.kit.grpc.Connections.Connection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The connections of one address by their callers, in the order of their age, and what they may
/// still cost. Guarded by the lock of all connections, where nothing else is said.
final class ClientAddress {
  /// The cost of connections and calls that prove nothing, in new connections.
  static final double FAILED_CALL = 1;

  /// The part of an address's connections that its allowance is, and the least that it is.
  private static final int SHARE = 4;

  private static final int LEAST = 32;

  /// The cost of a flood, as a part of the allowance.
  private static final double FLOOD = 0.25;

  /// The part of all connections of an address that comes back each second.
  private static final double PER_SECOND = 0.1;

  /// New connections a second from an address that has used up its allowance: enough for an agent
  /// or a person to get in again beside a job that floods.
  private static final double SUSPECT_PER_SECOND = 20;

  /// Unproven connections of such an address.
  private static final int SUSPECT_UNPROVEN = 32;

  private static final long SUSPECT_NANOS = 10_000_000_000L;
  private static final int BYTES_OF_IPV6 = 16;

  /// The name of all callers of unproven connections.
  static final String UNPROVEN = "";

  private final int most;
  private final int size;
  private final Allowance allowance;
  private final Allowance suspects;
  private final Map<String, LinkedHashSet<Connection>> callers = new HashMap<>();
  private int open;
  // Read without the lock.
  private volatile long suspectUntilNanos;
  private volatile boolean wasSuspect;

  ClientAddress(int most, long nowNanos) {
    this.most = most;
    this.size = Math.max(LEAST, most / SHARE);
    this.allowance = new Allowance(size, Math.max(SUSPECT_PER_SECOND, PER_SECOND * most), nowNanos);
    this.suspects = new Allowance(SUSPECT_PER_SECOND, SUSPECT_PER_SECOND, nowNanos);
  }

  /// One customer usually has a whole IPv6 /64, so this stands for all of it.
  static InetAddress network(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length != BYTES_OF_IPV6) {
      return address;
    }
    for (int i = BYTES_OF_IPV6 / 2; i < BYTES_OF_IPV6; i++) {
      bytes[i] = 0;
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Uses up what a new connection costs.
  boolean mayConnect(long now) {
    if (allowance.use(1, now)) {
      return true;
    }
    suspect(now);
    return suspects.use(1, now);
  }

  /// Whether an old connection has to give way to a new one.
  boolean isFull(long now) {
    return open >= most || (isSuspect(now) && count(UNPROVEN) >= SUSPECT_UNPROVEN);
  }

  /// The connection that gives way to a new one.
  Optional<Connection> victim() {
    @Nullable LinkedHashSet<Connection> unproven = callers.get(UNPROVEN);
    if (unproven != null) {
      return Optional.of(unproven.getFirst());
    }
    return Connections.oldestOfLargest(callers, most);
  }

  private int count(String caller) {
    @Nullable LinkedHashSet<Connection> connections = callers.get(caller);
    return connections == null ? 0 : connections.size();
  }

  void enter(Connection connection) {
    callers.computeIfAbsent(connection.caller(), _ -> new LinkedHashSet<>()).add(connection);
    open++;
  }

  /// Does nothing if it left already.
  void leave(Connection connection) {
    callers.computeIfPresent(
        connection.caller(),
        (_, connections) -> {
          if (connections.remove(connection)) {
            open--;
          }
          return connections.isEmpty() ? null : connections;
        });
  }

  void giveBack() {
    allowance.giveBack(1);
  }

  void flooded(long now) {
    charge(FLOOD * size, now);
  }

  void charge(double units, long now) {
    if (!allowance.use(units, now)) {
      allowance.charge(units, now);
      suspect(now);
    }
  }

  private void suspect(long now) {
    suspectUntilNanos = now + SUSPECT_NANOS;
    wasSuspect = true;
  }

  /// May be called on any thread.
  boolean isSuspect(long now) {
    return wasSuspect && now - suspectUntilNanos < 0;
  }

  boolean isForgotten(long now) {
    return open == 0 && allowance.isFull(now) && !isSuspect(now);
  }
}
