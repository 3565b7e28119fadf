package io.headgate.kit.watch;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.failure.Refusal;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/// Serves watches of a versioned resource. Each watcher keeps only the last version that it has
/// seen. It reads the next step from its {@link WatchSource} when there is a newer version *and*
/// its client has accepted the previous message. So nothing is queued: a slow watcher costs one
/// message and skips intermediate states. A watcher that accepts nothing is cut off (UNAVAILABLE,
/// WATCHER_TOO_SLOW, with the version to resume from).
///
/// ```java
/// long version = store.change(...);             // commits
/// hub.committed(version);                       // wakes the watchers
/// ...
/// public void watchCatalog(Request request, StreamObserver<Response> out) {
///   hub.open(out, request.getVersion(), new CatalogSource(store));
/// }
/// ```
///
/// {@link #committed} is a hint that reduces latency. A missed hint (a crash, another process)
/// delays a watcher by at most one heartbeat. Thread-safe.
public final class WatchHub implements AutoCloseable {
  private static final Duration RETRY = Duration.ofMillis(500);

  private final String name;
  private final WatchLimits limits;
  private final Set<Watcher<?>> watchers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final LongCounter cuts;

  /// @param name of the watched resource, for logs and threads
  /// @param meter measures the watchers
  public WatchHub(String name, WatchLimits limits, Meter meter) {
    this.name = name;
    this.limits = limits;
    this.cuts =
        meter
            .counterBuilder("headgate.watch.cuts")
            .setUnit("{watcher}")
            .setDescription("Watchers cut off because they accepted no message.")
            .build();
    meter
        .gaugeBuilder("headgate.watch.watchers")
        .setUnit("{watcher}")
        .setDescription("Open watches.")
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(watchers.size()));
  }

  /// Announces that `version` is committed; call it after the commit, never before.
  public void committed(long version) {
    for (Watcher<?> watcher : watchers) {
      watcher.committed(version);
    }
  }

  /// Serves a watch until its client leaves, is too slow, or the hub closes. Returns at once; call
  /// it from the handler of the RPC.
  ///
  /// @param version last version that the client has seen, 0 if none
  /// @throws io.headgate.kit.failure.RefusalException RESOURCE_EXHAUSTED with reason
  ///   TOO_MANY_WATCHERS
  public <M> void open(StreamObserver<M> out, long version, WatchSource<M> source) {
    if (!(out instanceof ServerCallStreamObserver<M> call)) {
      throw new IllegalArgumentException("a watch is served from a handler, not " + out);
    }
    Watcher<M> watcher = new Watcher<>(this, call, source, limits, version);
    watchers.add(watcher);
    if (watchers.size() > limits.maxWatchers()) {
      watchers.remove(watcher);
      throw Refusal.exhausted(
              "TOO_MANY_WATCHERS",
              "there are " + limits.maxWatchers() + " watchers already; try again later",
              RETRY.multipliedBy(10))
          .withMetadata("limit", limits.maxWatchers())
          .exception();
    }
    watcher.start(name);
    if (closed.get()) {
      watcher.stop();
    }
  }

  /// Open watches.
  public int watchers() {
    return watchers.size();
  }

  /// Ends every watch; clients resume at another server.
  @Override
  public void close() {
    closed.set(true);
    watchers.forEach(Watcher::stop);
  }

  boolean isClosed() {
    return closed.get();
  }

  void ended(Watcher<?> watcher) {
    watchers.remove(watcher);
  }

  Refusal tooSlow(long version) {
    cuts.add(1);
    return Refusal.unavailable(
            "WATCHER_TOO_SLOW",
            "the client accepted no message for "
                + limits.patience().toSeconds()
                + " s; watch again from version "
                + version,
            RETRY)
        .withMetadata("version", version);
  }

  Refusal stopping(long version) {
    return Refusal.unavailable(
            "SERVER_STOPPING", "the server is stopping; watch again from version " + version, RETRY)
        .withMetadata("version", version);
  }
}
