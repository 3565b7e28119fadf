package io.headgate.scheduler;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestTokens;
import io.headgate.kit.watch.WatchHub;
import io.headgate.kit.watch.WatchLimits;
import io.headgate.kit.watch.WatchParts;
import io.headgate.kit.watch.WatchRequest;
import io.headgate.kit.watch.WatchSource;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.GetVerificationKeysResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import io.headgate.proto.policy.v1.WatchRevocationsRequest;
import io.headgate.proto.policy.v1.WatchRevocationsResponse;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.pool.v1.WatchCatalogRequest;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// The far ends of the scheduler's wires: the watches of pool-service and policy-service and the
/// exchange of its key, served over real gRPC from memory. Every change is one version.
final class Neighbours implements AutoCloseable {
  static final String KEY = "key-of-the-scheduler";

  private static final String INCARNATION = "first-life";

  /// So small that whatever is more than one thing takes more than one part.
  private static final int PART_BYTES = 128;

  private final TestTokens tokens;
  private final WatchHub hub;
  private final Versioned<ResourceConfiguration> configurations = new Versioned<>();
  private final Versioned<Node> nodes = new Versioned<>();
  private final Versioned<AccessConfiguration> accesses = new Versioned<>();
  private ApiServer server;
  private URI uri;
  private long version;
  private volatile boolean quiet;
  private final AtomicInteger watchesOfAccess = new AtomicInteger();

  Neighbours(TestTokens tokens) {
    this.tokens = tokens;
    this.hub = new WatchHub("neighbours", WatchLimits.DEFAULTS, Telemetry.disabled().meter("test"));
    start(0);
  }

  private void start(int port) {
    server =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", port), Telemetry.disabled())
            .authentication(tokens.verifier())
            .service(new Catalog())
            .service(new Rights())
            .service(new Keys())
            .build();
    server.start();
    uri = server.uri();
  }

  URI uri() {
    return uri;
  }

  /// Provisions hardware.
  void provision(ResourceConfiguration configuration) {
    change(() -> configurations.put(configuration.getTenant(), configuration, version));
  }

  /// A machine registered itself.
  void register(Node node) {
    change(() -> nodes.put(node.getName(), node, version));
  }

  void delete(String node) {
    change(() -> nodes.remove(node, version));
  }

  /// Sets rights.
  void grant(AccessConfiguration configuration) {
    change(() -> accesses.put(configuration.getTenant(), configuration, version));
  }

  private void change(Runnable change) {
    long now;
    synchronized (this) {
      version++;
      change.run();
      now = version;
    }
    if (!quiet) {
      hub.committed(now);
    }
  }

  /// From now on, watchers learn of changes a heartbeat later, as after a lost hint.
  Neighbours quietly() {
    quiet = true;
    return this;
  }

  /// How often the watch of rights was opened.
  int watchesOfAccess() {
    return watchesOfAccess.get();
  }

  /// Makes both services unreachable for watchers.
  void goAway() {
    server.close();
  }

  @Override
  public void close() {
    hub.close();
    server.close();
  }

  /// Things by key, each with the version at which it changed last.
  private static final class Versioned<T> {
    private final Map<String, T> things = new LinkedHashMap<>();
    private final Map<String, Long> versions = new LinkedHashMap<>();

    void put(String key, T thing, long version) {
      things.put(key, thing);
      versions.put(key, version);
    }

    void remove(String key, long version) {
      things.remove(key);
      versions.put(key, version);
    }

    List<T> since(long seen) {
      return things.entrySet().stream()
          .filter(entry -> versions.get(entry.getKey()) > seen)
          .map(Map.Entry::getValue)
          .toList();
    }

    List<String> goneSince(long seen) {
      return versions.keySet().stream()
          .filter(key -> !things.containsKey(key) && versions.get(key) > seen)
          .toList();
    }
  }

  /// The changes since the version that a watcher has seen, in small parts.
  private final class Source<M extends Message> implements WatchSource<M> {
    private final Function<Long, M> message;
    private final Function<Long, M> alive;
    private final int last;

    /// @param last number of the field that marks the last part
    Source(Function<Long, M> message, Function<Long, M> alive, int last) {
      this.last = last;
      this.message = message;
      this.alive = alive;
    }

    @Override
    public Step<M> read(long seen) {
      synchronized (Neighbours.this) {
        return seen == version && seen > 0
            ? new Step<>(version, List.of())
            : new Step<>(
                version,
                WatchParts.split(message.apply(seen > version ? 0 : seen), PART_BYTES, last));
      }
    }

    @Override
    public M alive(long at) {
      return alive.apply(at);
    }
  }

  private final class Catalog
      extends ResourceConfigurationServiceGrpc.ResourceConfigurationServiceImplBase {
    @Override
    public void watchCatalog(
        WatchCatalogRequest request, StreamObserver<WatchCatalogResponse> out) {
      hub.open(
          out,
          new WatchRequest(
              request.getIncarnation().equals(INCARNATION) ? request.getVersion() : 0,
              request.getOneStep()),
          new Source<>(
              seen ->
                  WatchCatalogResponse.newBuilder()
                      .setIncarnation(INCARNATION)
                      .setVersion(version)
                      .setLast(true)
                      .setSnapshot(seen == 0)
                      .addAllConfigurations(configurations.since(seen))
                      .addAllDeletedTenants(configurations.goneSince(seen))
                      .addAllNodes(nodes.since(seen))
                      .addAllDeletedNodes(nodes.goneSince(seen))
                      .build(),
              at ->
                  WatchCatalogResponse.newBuilder()
                      .setIncarnation(INCARNATION)
                      .setVersion(at)
                      .setLast(true)
                      .build(),
              WatchCatalogResponse.LAST_FIELD_NUMBER));
    }
  }

  private final class Rights
      extends AccessConfigurationServiceGrpc.AccessConfigurationServiceImplBase {
    @Override
    public void watchAccess(WatchAccessRequest request, StreamObserver<WatchAccessResponse> out) {
      watchesOfAccess.incrementAndGet();
      hub.open(
          out,
          new WatchRequest(
              request.getIncarnation().equals(INCARNATION) ? request.getVersion() : 0,
              request.getOneStep()),
          new Source<>(
              seen ->
                  WatchAccessResponse.newBuilder()
                      .setIncarnation(INCARNATION)
                      .setVersion(version)
                      .setLast(true)
                      .setSnapshot(seen == 0)
                      .addAllConfigurations(accesses.since(seen))
                      .addAllDeletedTenants(accesses.goneSince(seen))
                      .build(),
              at ->
                  WatchAccessResponse.newBuilder()
                      .setIncarnation(INCARNATION)
                      .setVersion(at)
                      .setLast(true)
                      .build(),
              WatchAccessResponse.LAST_FIELD_NUMBER));
    }
  }

  private final class Keys extends TokenServiceGrpc.TokenServiceImplBase {
    @Override
    public void getVerificationKeys(
        GetVerificationKeysRequest request, StreamObserver<GetVerificationKeysResponse> out) {
      out.onNext(GetVerificationKeysResponse.newBuilder().setJwksJson(tokens.jwks()).build());
      out.onCompleted();
    }

    /// Nothing was ever revoked.
    @Override
    public void watchRevocations(
        WatchRevocationsRequest request, StreamObserver<WatchRevocationsResponse> out) {
      hub.open(
          out,
          request.getIncarnation().equals(INCARNATION) ? request.getVersion() : 0,
          new Source<>(
              seen ->
                  WatchRevocationsResponse.newBuilder()
                      .setIncarnation(INCARNATION)
                      .setVersion(version)
                      .setLast(true)
                      .setSnapshot(seen == 0)
                      .build(),
              at ->
                  WatchRevocationsResponse.newBuilder()
                      .setIncarnation(INCARNATION)
                      .setVersion(at)
                      .setLast(true)
                      .build(),
              WatchRevocationsResponse.LAST_FIELD_NUMBER));
    }

    @Override
    public void exchangeKey(ExchangeKeyRequest request, StreamObserver<ExchangeKeyResponse> out) {
      if (!request.getKey().equals(KEY)) {
        throw new IllegalArgumentException("not the scheduler's key");
      }
      Instant expires = Instant.now().plus(Duration.ofMinutes(10));
      out.onNext(
          ExchangeKeyResponse.newBuilder()
              .setToken(tokens.service("scheduler"))
              .setExpireTime(Timestamp.newBuilder().setSeconds(expires.getEpochSecond()))
              .build());
      out.onCompleted();
    }
  }
}
