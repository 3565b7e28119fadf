package io.headgate.scheduler;

import io.headgate.kit.testing.RawHttp2;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Programs without a token flood the scheduler from the address of all its clients: calls that are
/// reset at once, and connections with one call each. A member's calls go on. The floods have a
/// rate, because their clients share the processors with the scheduler: without one, they would
/// measure themselves.
final class LoadFlood {
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
  private final LoadFigures figures;
  private final LoadHonest honest;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger resets = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();

  LoadFlood(LoadRig rig, LoadBenchmark.Options options, LoadFigures figures, LoadClients clients) {
    this.port = rig.port();
    this.figures = figures;
    this.honest = new LoadHonest(options, figures, clients);
  }

  void measure() {
    double before = honest.measure("flood_before");
    List<Thread> hostile = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      hostile.add(Thread.ofPlatform().start(() -> repeat(RESET_RATE, this::reset)));
      hostile.add(Thread.ofPlatform().start(() -> repeat(CONNECT_RATE, this::connect)));
    }
    double during = honest.measure("flood_during");
    over.set(true);
    hostile.forEach(LoadAttack::join);
    figures.print(
        "flood_p99_factor",
        Map.of("resets", resets.toString(), "connections", connections.toString()),
        during / before,
        "x",
        0,
        OptionalDouble.of(2));
    var _ = honest.measure("flood_after");
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
