package io.headgate.kit.watch;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.CallOrigin;
import io.headgate.kit.grpc.FairBound;
import io.headgate.kit.grpc.FairBound.Excess;
import io.headgate.kit.lifecycle.HeavyThreads;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.headgate.kit.watch.WatchSource.Step;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Serves watches of a versioned resource. Each watcher keeps only the last version that it has
/// seen. It reads the next step from its {@link WatchSource} when there is a newer version *and*
/// its client has accepted the previous message. So nothing is queued: a slow watcher costs one
/// message and skips intermediate states. A watcher that accepts nothing is cut off (UNAVAILABLE,
/// WATCHER_TOO_SLOW, with the version to resume from).
///
/// The number of watchers and the bytes on their way are bounded in total, per tenant and per
/// caller ([WatchLimits]), so that clients which do not read hurt themselves only.
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
  private static final double NANOS = 1e9;
  private static final Duration RETRY = Duration.ofMillis(500);

  /// Watchers that read at the same time. The others wait their turn, so that many watchers leave
  /// processors and connections of the database to other callers.
  private static final int READERS = 4;

  /// Watchers that are told when bytes are given back. More than one, because the first may belong
  /// to a tenant that still has too many.
  private static final int WOKEN = 4;

  private final String name;
  private final WatchLimits limits;
  private final FairBound number;
  private final FairBound bytes;
  private final HeavyThreads readers;
  private final Queue<Watcher<?>> starving = new ConcurrentLinkedQueue<>();
  private final Set<Watcher<?>> watchers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Attributes self;
  private final LongCounter cuts;
  private final DoubleHistogram lag;

  /// @param name of the watched resource, for logs and threads
  /// @param meter measures the watchers
  public WatchHub(String name, WatchLimits limits, Meter meter) {
    this.name = name;
    this.limits = limits;
    this.number = limits.number();
    this.bytes = limits.memory().bound();
    this.readers = new HeavyThreads("read-" + name, READERS);
    this.self = Attributes.of(ServiceMetrics.WATCH, name);
    this.cuts = ServiceMetrics.WATCH_CUTS.counter(meter);
    cuts.add(0, self);
    this.lag = ServiceMetrics.WATCH_LAG.histogram(meter);
    ServiceMetrics.WATCH_BYTES
        .gauge(meter)
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(bytes.inProgress(), self));
    ServiceMetrics.WATCH_SUBSCRIBERS
        .gauge(meter)
        .ofLongs()
        .buildWithCallback(this::countSubscribers);
  }

  private void countSubscribers(ObservableLongMeasurement gauge) {
    Map<String, Long> byRole = new TreeMap<>();
    watchers.forEach(watcher -> byRole.merge(watcher.role(), 1L, Long::sum));
    byRole.forEach((role, count) ->
        gauge.record(count, self.toBuilder().put(ServiceMetrics.ROLE, role).build()));
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
    open(out, new WatchRequest(version, false), source);
  }

  /// As the other. A request for one step ends by itself after it, so that a client that asks often
  /// cancels no stream: cancelled streams count towards the limit of resets of its connection.
  public <M> void open(StreamObserver<M> out, WatchRequest request, WatchSource<M> source) {
    if (!(out instanceof ServerCallStreamObserver<M> call)) {
      throw new IllegalArgumentException("a watch is served from a handler, not " + out);
    }
    Watcher.Subscriber subscriber =
        new Watcher.Subscriber(
            CallOrigin.current(),
            Principals.find().map(caller -> caller.role().claim()).orElse("anonymous"));
    Optional<Excess> excess = number.enter(subscriber.origin(), 1);
    if (excess.isPresent()) {
      throw tooMany(excess.get()).exception();
    }
    Watcher<M> watcher = new Watcher<>(this, subscriber, call, source, request);
    watchers.add(watcher);
    watcher.start(name);
    if (closed.get()) {
      watcher.stop();
    }
  }

  /// Bytes that a message should not exceed.
  public long pageBytes() {
    return limits.memory().page().bytes();
  }

  /// Open watches.
  public int watchers() {
    return watchers.size();
  }

  /// Bytes made for watchers that their clients have not accepted.
  public long bytesInFlight() {
    return bytes.inProgress();
  }

  /// Ends every watch; clients resume at another server.
  @Override
  public void close() {
    closed.set(true);
    watchers.forEach(Watcher::stop);
  }

  WatchLimits limits() {
    return limits;
  }

  FairBound bytes() {
    return bytes;
  }

  <M> Step<M> read(WatchSource<M> source, long version) throws InterruptedException {
    return readers.call(() -> source.read(version));
  }

  /// News of a commit are handed over, `nanos` after it was announced.
  void handedOver(long nanos) {
    lag.record(nanos / NANOS, self);
  }

  /// Tells the watcher when bytes are given back, once.
  void awaitRoom(Watcher<?> watcher) {
    if (!starving.contains(watcher)) {
      starving.add(watcher);
    }
  }

  void hasRoom(Watcher<?> watcher) {
    if (!starving.isEmpty()) {
      starving.remove(watcher);
    }
  }

  /// Gives back bytes of a watcher.
  void leave(CallOrigin origin, long amount) {
    bytes.leave(origin, amount);
    for (int i = 0; i < WOKEN; i++) {
      @Nullable Watcher<?> next = starving.poll();
      if (next == null) {
        return;
      }
      next.roomMade();
    }
  }

  boolean isClosed() {
    return closed.get();
  }

  void ended(Watcher<?> watcher) {
    watchers.remove(watcher);
    hasRoom(watcher);
  }

  /// Nothing of the ended watcher is left.
  void gone(Watcher<?> watcher) {
    number.leave(watcher.origin(), 1);
  }

  private Refusal tooMany(Excess excess) {
    return Refusal.exhausted(
            "TOO_MANY_WATCHERS",
            "%s has %d watchers and may have %d now, the server %d; close some or try again later"
                .formatted(excess.holder(), excess.held(), excess.most(), limits.maxWatchers()),
            RETRY.multipliedBy(10))
        .withMetadata("watchers", excess.held())
        .withMetadata("limit", excess.most());
  }

  Refusal withoutRoom(Excess excess, long version) {
    cuts.add(1, self);
    return Refusal.exhausted(
            "WATCHERS_NOT_READING",
            ("%s has %d bytes on their way to watchers that do not read them, and may have %d now;"
                    + " read them, and watch again from version %d")
                .formatted(excess.holder(), excess.held(), excess.most(), version),
            RETRY.multipliedBy(10))
        .withMetadata("bytes", excess.held())
        .withMetadata("limit", excess.most())
        .withMetadata("version", version);
  }

  Refusal tooSlow(long version) {
    cuts.add(1, self);
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
