package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.kit.time.TimeSource;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The open connections of a server, each at the expense of its [address][ClientAddress].
///
/// A connection is unproven until a call with a good token came over it, and again after
/// [#FAILURES] calls in a row without one. Where there is no room, an unproven connection gives way
/// to a new one, the oldest first. If all are proven, the oldest one of the caller with the most
/// gives way, at the address or at all of them, if that caller has more than a [few][#FEW]. So the
/// jobs of a node do not shut out its agent, which has the same address.
///
/// Thread-safe.
final class Connections {
  /// Evicted connections that have not closed yet; beyond this, new ones are refused.
  private static final int MOST_CLOSING = 256;

  /// Known addresses beyond which those without connections are forgotten.
  private static final int SWEEP = 10_000;

  /// Connections that a caller keeps even if another one finds no room; less where few are allowed
  /// at all.
  private static final int FEW = 32;

  private static final int PART_OF_FEW = 4;

  /// Calls in a row without a good token after which a connection is unproven again.
  static final int FAILURES = 16;

  private static final AttributeKey<Connection> KEY = AttributeKey.valueOf(Connections.class, "OF");

  private final int most;
  private final int perAddress;
  private final TimeSource time;
  private final LongAdder refused = new LongAdder();
  private final LongAdder cut = new LongAdder();
  // All guarded by this.
  private final Map<InetAddress, ClientAddress> addresses = new HashMap<>();
  private final LinkedHashSet<Connection> unproven = new LinkedHashSet<>();
  private final Map<String, LinkedHashSet<Connection>> callers = new HashMap<>();
  private int open;
  private int sweepAt = SWEEP;

  /// @param most connections in total
  /// @param perAddress connections of one address
  Connections(int most, int perAddress, TimeSource time) {
    this.most = most;
    this.perAddress = perAddress;
    this.time = time;
  }

  /// Connections that are open, those that are about to close included.
  synchronized int open() {
    return open;
  }

  /// Connections that were refused or evicted.
  long refused() {
    return refused.sum();
  }

  /// Connections that ended because of a flood.
  long cut() {
    return cut.sum();
  }

  /// The connection of a call.
  static Optional<Connection> of(@Nullable ServiceRequestContext call) {
    @Nullable Channel channel = call == null ? null : call.log().partial().channel();
    return channel == null ? Optional.empty() : of(channel);
  }

  static Optional<Connection> of(Channel channel) {
    return Optional.ofNullable(channel.attr(KEY).get());
  }

  /// The decision on a new connection.
  enum Answer {
    ADMITTED,
    /// Its address has to wait.
    LATER,
    REFUSED
  }

  /// Decides on a new connection. An older one may be closed for it.
  Answer admit(Channel channel, InetAddress network) {
    long now = time.monotonicNanos();
    Optional<Connection> victim = Optional.empty();
    Connection connection;
    synchronized (this) {
      ClientAddress address =
          addresses.computeIfAbsent(network, _ -> new ClientAddress(perAddress, now));
      if (open >= most + MOST_CLOSING) {
        return Answer.REFUSED;
      }
      if (!address.mayConnect(now)) {
        return Answer.LATER;
      }
      if (address.isFull(now) || open >= most) {
        victim = address.isFull(now) ? address.victim() : anyVictim();
        if (victim.isEmpty()) {
          return Answer.REFUSED;
        }
        forget(victim.get());
      }
      connection = new Connection(channel, address);
      address.enter(connection);
      unproven.add(connection);
      open++;
      sweep(now);
    }
    channel.attr(KEY).set(connection);
    channel.closeFuture().addListener(_ -> closed(connection));
    victim.ifPresent(each -> {
      refused.increment();
      evict(each.channel);
    });
    return Answer.ADMITTED;
  }

  /// Closes at once. A close from the end of the pipeline would wait for the streams of HTTP/2, and
  /// some streams never end by themselves.
  private static void evict(Channel channel) {
    channel
        .eventLoop()
        .execute(() -> {
          @Nullable ChannelHandlerContext first = channel.pipeline().firstContext();
          var _ = first == null ? channel.close() : first.close();
        });
  }

  private Optional<Connection> anyVictim() {
    return unproven.isEmpty() ? oldestOfLargest(callers, most) : Optional.of(unproven.getFirst());
  }

  /// The oldest connection of the caller with the most, if they are more than a few.
  ///
  /// @param allowed connections of all of these callers together
  static Optional<Connection> oldestOfLargest(
      Map<String, ? extends SequencedSet<Connection>> callers, int allowed) {
    int few = Math.min(FEW, allowed / PART_OF_FEW);
    return callers.values().stream()
        .max(Comparator.comparingInt(SequencedSet::size))
        .filter(connections -> connections.size() > few)
        .map(SequencedSet::getFirst);
  }

  private void forget(Connection connection) {
    unproven.remove(connection);
    connection.address.leave(connection);
    callers.computeIfPresent(
        connection.caller,
        (_, connections) -> {
          connections.remove(connection);
          return connections.isEmpty() ? null : connections;
        });
  }

  /// A connection was closed before it was admitted.
  void dropped() {
    refused.increment();
  }

  private synchronized void closed(Connection connection) {
    open--;
    forget(connection);
  }

  /// Forgets addresses that have no connection and owe nothing.
  private void sweep(long now) {
    if (addresses.size() >= sweepAt) {
      addresses.values().removeIf(address -> address.isForgotten(now));
      sweepAt = Math.max(SWEEP, 2 * addresses.size());
    }
  }

  /// One open connection. Thread-safe.
  final class Connection {
    private final Channel channel;
    private final ClientAddress address;
    // Written under the lock of all connections.
    private volatile String caller = ClientAddress.UNPROVEN;
    private final AtomicInteger failures = new AtomicInteger();

    private Connection(Channel channel, ClientAddress address) {
      this.channel = channel;
      this.address = address;
    }

    /// The caller of its first call with a good token; empty before.
    String caller() {
      return caller;
    }

    boolean isProven() {
      return !caller.equals(ClientAddress.UNPROVEN);
    }

    /// Whether it is unproven and its address misbehaved in the last seconds, so that it may do
    /// little until it is proven.
    boolean isSuspect(long nowNanos) {
      return address.isSuspect(nowNanos) && !isProven();
    }

    /// A call with a good token came over it: it costs its address nothing.
    ///
    /// @param name of the caller
    /// @return whether it was unproven
    boolean prove(String name) {
      if (failures.get() != 0) {
        failures.set(0);
      }
      if (isProven()) {
        return false;
      }
      synchronized (Connections.this) {
        boolean wasUnproven = unproven.remove(this);
        if (wasUnproven) {
          address.leave(this);
          caller = name;
          address.enter(this);
          callers.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(this);
          address.giveBack();
        }
        return wasUnproven;
      }
    }

    /// A call over it had no good token.
    void failed() {
      int inARow = failures.incrementAndGet();
      synchronized (Connections.this) {
        address.charge(ClientAddress.FAILED_CALL, time.monotonicNanos());
        if (inARow >= FAILURES && isProven() && channel.isOpen()) {
          forget(this);
          caller = ClientAddress.UNPROVEN;
          address.enter(this);
          unproven.add(this);
        }
      }
    }

    /// It ends because of a flood.
    void flooded() {
      cut.increment();
      synchronized (Connections.this) {
        address.flooded(time.monotonicNanos());
      }
    }
  }
}
