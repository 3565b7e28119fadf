package io.headgate.scheduler;

import io.headgate.kit.testing.RawHttp2;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Programs without a token: calls that are reset at once, and connections with one call each. They
/// have a rate, because they share processors with the scheduler where they are not kept apart:
/// without one, they would measure themselves.
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
  private static final String SUBMIT = "/headgate.scheduler.v1.JobService/SubmitJob";

  private final int port;
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

  private LoadFlooders(int port) {
    this.port = port;
  }

  static LoadFlooders start(int port) {
    LoadFlooders made = new LoadFlooders(port);
    for (int i = 0; i < THREADS; i++) {
      made.threads.add(
          Thread.ofPlatform().start(() -> made.repeat(RESET_RATE, made::reset)));
      made.threads.add(
          Thread.ofPlatform().start(() -> made.repeat(CONNECT_RATE, made::connect)));
    }
    return made;
  }

  Done stop() {
    over.set(true);
    threads.forEach(LoadAttack::join);
    return new Done(resets.get(), connections.get());
  }

  /// Floods the port that is the only argument until the input ends, and writes what was
  /// [done][Done].
  public static void main(String[] arguments) throws IOException {
    LoadFlooders flooders = start(Integer.parseInt(arguments[0]));
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

  private void reset() throws IOException {
    byte[] headers = RawHttp2.headers(SUBMIT, Map.of());
    try (RawHttp2 connection = RawHttp2.open(port)) {
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
    try (RawHttp2 connection = RawHttp2.open(port)) {
      connection.write(call);
    }
    connections.incrementAndGet();
  }
}
