package io.headgate.kit.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A TCP proxy on loopback between a client and a server, for tests of broken networks. Stalled, it
/// is a network that loses everything, in both directions or in one. Connections stay open, nothing
/// arrives, and sent data arrives late when it resumes; new connections fail meanwhile. Slow, it
/// delays each piece of data. Cut, it closes connections and refuses new ones.
///
/// Thread-safe.
public final class Wire implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int BACKLOG = 50;

  /// Directions.
  public enum Way {
    /// From client to server.
    CALLS,
    /// From server to client.
    ANSWERS
  }

  private final InetSocketAddress server;
  private final InetSocketAddress own;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // All guarded by lock.
  private final Set<Socket> ends = new HashSet<>();
  private final Set<Way> stalled = EnumSet.noneOf(Way.class);
  private final Set<InetAddress> separated = new HashSet<>();
  private ServerSocket listener;
  private int held;
  private int opened;
  private long lateNanos;

  private Wire(InetSocketAddress own, InetSocketAddress server) throws IOException {
    this.server = server;
    this.listener = listen(own);
    this.own = (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /// A proxy to a server on `127.0.0.1`, on a free port below Linux's ephemeral range. So the port
  /// is not one that another test has chosen but not opened yet.
  public static Wire to(int port) throws IOException {
    return at(InetAddress.getLoopbackAddress(), port);
  }

  /// A proxy to a server, on a port of another loopback address.
  public static Wire at(InetAddress host, int port) throws IOException {
    InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    while (true) {
      int chosen = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try {
        return new Wire(new InetSocketAddress(host, chosen), server);
      } catch (BindException e) {
        // The port is in use; try another one.
      }
    }
  }

  /// Where to dial instead of the server.
  public int port() {
    return own.getPort();
  }

  /// The same as `host:port`.
  public String address() {
    return own.getAddress().getHostAddress() + ":" + own.getPort();
  }

  /// From now on nothing arrives, in neither direction.
  public void stall() {
    stall(EnumSet.allOf(Way.class));
  }

  /// Stops all data in these directions.
  public void stall(Set<Way> ways) {
    lock.lock();
    try {
      stalled.addAll(ways);
    } finally {
      lock.unlock();
    }
  }

  /// From now on nothing arrives in either direction on connections of clients at this address.
  public void separate(InetAddress caller) {
    lock.lock();
    try {
      separated.add(caller);
    } finally {
      lock.unlock();
    }
  }

  /// From now on everything arrives late, in both directions: within a connection in its order, but
  /// not among connections.
  ///
  /// @param most by how much; each piece by another time
  public void slow(Duration most) {
    lock.lock();
    try {
      lateNanos = most.toNanos();
    } finally {
      lock.unlock();
    }
  }

  /// Everything arrives again and in time, also what was sent meanwhile.
  public void resume() {
    lock.lock();
    try {
      stalled.clear();
      separated.clear();
      lateNanos = 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Connections on which a caller said something that does not arrive while it is stalled.
  public int held() {
    lock.lock();
    try {
      return held;
    } finally {
      lock.unlock();
    }
  }

  /// Connections that clients have opened so far.
  public int opened() {
    lock.lock();
    try {
      return opened;
    } finally {
      lock.unlock();
    }
  }

  /// Ends every connection and refuses new ones.
  public void cut() throws IOException {
    lock.lock();
    try {
      listener.close();
    } finally {
      lock.unlock();
    }
    hangUp();
  }

  /// Ends every connection; what was on its way is lost.
  public void hangUp() throws IOException {
    List<Socket> all;
    lock.lock();
    try {
      all = new ArrayList<>(ends);
    } finally {
      lock.unlock();
    }
    for (Socket each : all) {
      each.close();
    }
  }

  /// Takes connections again after it was cut.
  public void mend() throws IOException {
    lock.lock();
    try {
      listener = listen(own);
    } finally {
      lock.unlock();
    }
  }

  private ServerSocket listen(InetSocketAddress address) throws IOException {
    ServerSocket made = new ServerSocket();
    made.setReuseAddress(true);
    made.bind(address, BACKLOG);
    Thread.ofVirtual().name("wire " + address).start(() -> accept(made));
    return made;
  }

  private void accept(ServerSocket from) {
    while (true) {
      try {
        Socket client = from.accept();
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // Cut, or closed.
        return;
      }
    }
  }

  private void connect(Socket client) {
    try (client;
        Socket far = new Socket()) {
      countOpened();
      open(client);
      open(far);
      InetAddress caller = client.getInetAddress();
      awaitFlow(caller, EnumSet.allOf(Way.class));
      far.connect(server);
      Thread back = Thread.ofVirtual().start(() -> copy(caller, far, client, Way.ANSWERS));
      copy(caller, client, far, Way.CALLS);
      back.join();
    } catch (IOException e) {
      // The server does not listen: the caller is told by the end of its connection.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.lock();
      try {
        ends.removeIf(Socket::isClosed);
      } finally {
        lock.unlock();
      }
    }
  }

  private void countOpened() {
    lock.lock();
    try {
      opened++;
    } finally {
      lock.unlock();
    }
  }

  private void open(Socket end) throws IOException {
    lock.lock();
    try {
      ends.add(end);
      if (listener.isClosed()) {
        throw new IOException("cut");
      }
    } finally {
      lock.unlock();
    }
  }

  private void copy(InetAddress caller, Socket from, Socket to, Way way) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        delay();
        hold(caller, way);
        out.write(buffer, 0, read);
      }
      awaitFlow(caller, EnumSet.of(way));
      to.shutdownOutput();
    } catch (IOException e) {
      closeQuietly(from);
      closeQuietly(to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void delay() throws InterruptedException {
    lock.lock();
    try {
      long left = lateNanos > 0 ? ThreadLocalRandom.current().nextLong(lateNanos) : 0;
      while (left > 0 && lateNanos > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Until what was read may go on.
  private void hold(InetAddress caller, Way way) throws InterruptedException {
    lock.lock();
    try {
      held += way == Way.CALLS ? 1 : 0;
      awaitFlow(caller, EnumSet.of(way));
    } finally {
      held -= way == Way.CALLS ? 1 : 0;
      lock.unlock();
    }
  }

  private void awaitFlow(InetAddress caller, Set<Way> ways) throws InterruptedException {
    lock.lock();
    try {
      while (separated.contains(caller) || !Collections.disjoint(stalled, ways)) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    resume();
    cut();
  }
}
