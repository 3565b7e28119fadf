package io.headgate.scheduler;

import io.headgate.kit.testing.RawHttp2;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Programs without a token: calls that are reset at once, and connections with one call each. They
/// have a rate, because they share processors with the scheduler: without one, they would measure
/// themselves.
final class LoadFlooders {
  /// The line that a [process][#main] of them writes once it floods.
  static final String READY = "ready";

  /// Threads of each kind.
  private static final int THREADS = 2;

  private static final int STREAMS = 1000;

  /// Connections of a thread in a second.
  private static final int RESET_RATE = 10;

  private static final int CONNECT_RATE = 500;
  private static final long SECOND = 1_000_000_000;
  private static final int CANCEL = 8;
  private static final int ANY_PORT = 0;
  private static final String SUBMIT = "/headgate.scheduler.v1.JobService/SubmitJob";

  private final int port;
  private final int addresses;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger resets = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();

  /// Calls that were reset, and connections that were made.
  record Done(int resets, int connections) {
    static Done parse(String line) {
      String[] counts = line.split(" ");
      return new Done(Integer.parseInt(counts[0]), Integer.parseInt(counts[1]));
    }
  }

  private LoadFlooders(int port, int addresses) {
    this.port = port;
    this.addresses = addresses;
  }

  /// @param addresses on loopback that they come from, at most 65,536; 1 is that of all clients
  static LoadFlooders start(int port, int addresses) {
    LoadFlooders made = new LoadFlooders(port, addresses);
    for (int i = 0; i < THREADS; i++) {
      made.threads.add(Thread.ofPlatform().start(() -> made.repeat(RESET_RATE, made::reset)));
      made.threads.add(Thread.ofPlatform().start(() -> made.repeat(CONNECT_RATE, made::connect)));
    }
    return made;
  }

  Done stop() {
    over.set(true);
    threads.forEach(LoadAttack::join);
    return new Done(resets.get(), connections.get());
  }

  /// Floods until the input ends, and writes what was [done][Done]. The arguments are the port and
  /// the number of addresses.
  public static void main(String[] arguments) throws IOException {
    LoadFlooders flooders = start(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
    System.out.println(READY);
    var _ = System.in.read();
    Done done = flooders.stop();
    System.out.println(done.resets() + " " + done.connections());
  }

  private interface Attempt {
    void run() throws IOException;
  }

  private void repeat(int rate, Attempt attempt) {
    long due = System.nanoTime();
    while (!over.get()) {
      due += SECOND / rate;
      LockSupport.parkNanos(due - System.nanoTime());
      try {
        attempt.run();
      } catch (IOException e) {
        // The server refused it.
      }
    }
  }

  private RawHttp2 open() throws IOException {
    int address = ThreadLocalRandom.current().nextInt(addresses);
    InetAddress own =
        addresses == 1
            ? InetAddress.getLoopbackAddress()
            : InetAddress.getByAddress(
                new byte[] {127, 1, (byte) (address >> Byte.SIZE), (byte) address});
    RawHttp2 made =
        RawHttp2.over(new Socket(InetAddress.getLoopbackAddress(), port, own, ANY_PORT));
    made.begin();
    return made;
  }

  private void reset() throws IOException {
    byte[] headers = RawHttp2.headers(SUBMIT, Map.of());
    try (RawHttp2 connection = open()) {
      for (int i = 0; i < STREAMS && !over.get(); i++) {
        int stream = 2 * i + 1;
        ByteArrayOutputStream call = new ByteArrayOutputStream();
        call.writeBytes(RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, stream, headers));
        call.writeBytes(RawHttp2.frame(RawHttp2.RST_STREAM, 0, stream, RawHttp2.number(CANCEL)));
        if (connection.flood(1, call.toByteArray()) == 0) {
          return;
        }
        resets.incrementAndGet();
      }
    }
  }

  private void connect() throws IOException {
    byte[] call =
        RawHttp2.frame(
            RawHttp2.HEADERS,
            RawHttp2.END_STREAM | RawHttp2.END_HEADERS,
            1,
            RawHttp2.headers(SUBMIT, Map.of()));
    try (RawHttp2 connection = open()) {
      connection.write(call);
    }
    connections.incrementAndGet();
  }
}
