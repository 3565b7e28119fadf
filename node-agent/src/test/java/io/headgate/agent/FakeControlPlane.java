package io.headgate.agent;

import static org.awaitility.Awaitility.await;

import io.grpc.BindableService;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestTokens;
import io.headgate.proto.agent.v1.Acknowledge;
import io.headgate.proto.agent.v1.AgentServiceGrpc;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.HeartbeatReply;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.proto.agent.v1.Leadership;
import io.headgate.proto.agent.v1.LogChunk;
import io.headgate.proto.agent.v1.NotLeader;
import io.headgate.proto.agent.v1.Update;
import io.headgate.proto.agent.v1.Welcome;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.EnrollNodeResponse;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The other end of the agent's wire: the three services an agent talks to, over real gRPC, doing
/// what a test tells them to.
final class FakeControlPlane implements AutoCloseable {
  static final String JOIN_TOKEN = "join-me";
  static final Duration PATIENCE = Duration.ofSeconds(120);

  /// Everything of the agents' streams, in order.
  final List<ConnectRequest> said = new CopyOnWriteArrayList<>();

  final List<Hello> hellos = new CopyOnWriteArrayList<>();
  final List<Update> updates = new CopyOnWriteArrayList<>();
  final List<LogChunk> chunks = new CopyOnWriteArrayList<>();
  final List<Node> registrations = new CopyOnWriteArrayList<>();
  final List<EnrollNodeRequest> enrolments = new CopyOnWriteArrayList<>();

  /// Shared by all replicas.
  final FakeMachines machines;

  /// Calls of EnrollNode and of ExchangeKey, refused ones too.
  final AtomicInteger joins = new AtomicInteger();

  final AtomicInteger exchanges = new AtomicInteger();

  /// The answer to every key. Absent: a token.
  volatile Optional<Refusal> keyRefusal = Optional.empty();

  volatile Leadership leadership = leader(1, "a");
  volatile boolean acknowledges = true;
  volatile boolean answersHeartbeats = true;
  volatile boolean losesEnrolments;
  volatile Optional<Refusal> joinRefusal = Optional.empty();
  volatile boolean poolMigAuto;
  volatile Optional<String> leaderElsewhere = Optional.empty();
  volatile Duration heartbeatInterval = Duration.ofMillis(100);
  volatile int protocol = 1;

  private final TestTokens tokens;
  private final ApiServer server;
  private volatile long acknowledged;
  private volatile @Nullable StreamObserver<ConnectResponse> agent;

  FakeControlPlane() {
    this(TestTokens.create(), new FakeMachines());
  }

  private FakeControlPlane(TestTokens tokens, FakeMachines machines) {
    this.tokens = tokens;
    this.machines = machines;
    ApiServer.Builder builder =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
            .authentication(tokens.verifier());
    for (BindableService service : List.of(new Policy(), new Pool(), new Scheduler())) {
      builder.service(service);
    }
    this.server = builder.build();
    server.start();
  }

  /// Another replica of the same installation.
  FakeControlPlane replica() {
    return new FakeControlPlane(tokens, machines);
  }

  static Leadership leader(long epoch, String name) {
    return Leadership.newBuilder().setIncarnation("i1").setEpoch(epoch).setLeader(name).build();
  }

  URI uri() {
    return server.uri();
  }

  int port() {
    return server.port();
  }

  boolean isConnected() {
    return agent != null;
  }

  void send(ConnectResponse.Builder message) {
    if (!isConnected()) {
      await().atMost(PATIENCE).until(this::isConnected);
    }
    StreamObserver<ConnectResponse> stream = agent;
    if (stream != null) {
      synchronized (this) {
        stream.onNext(message.build());
      }
    }
  }

  /// Ends the session as a crash of the scheduler would.
  synchronized void cut() {
    StreamObserver<ConnectResponse> stream = agent;
    agent = null;
    if (stream != null) {
      stream.onError(Refusal.unavailable("UNAVAILABLE", "cut", Duration.ZERO).exception());
    }
  }

  void acknowledgeAll() {
    acknowledged = updates.stream().mapToLong(Update::getSequence).max().orElse(0);
    send(
        ConnectResponse.newBuilder()
            .setAcknowledge(Acknowledge.newBuilder().setSequence(acknowledged)));
  }

  /// Waits for an update about the job that matches, and returns it.
  AttemptReport awaitReport(String job, Predicate<AttemptReport> expected) {
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> find(job, expected).isPresent());
    return find(job, expected).orElseThrow();
  }

  AttemptReport awaitState(String job, AttemptReport.State state) {
    return awaitReport(job, report -> report.getState() == state);
  }

  AttemptReport awaitEnd(String job) {
    return awaitState(job, AttemptReport.State.STATE_ENDED);
  }

  List<AttemptReport> reportsOf(String job) {
    return updates.stream()
        .map(Update::getReport)
        .filter(report -> report.getJob().equals("tenants/acme/jobs/" + job))
        .toList();
  }

  @Override
  public void close() {
    server.close();
  }

  private Optional<AttemptReport> find(String job, Predicate<AttemptReport> expected) {
    return reportsOf(job).stream().filter(expected).findFirst();
  }

  private final class Scheduler extends AgentServiceGrpc.AgentServiceImplBase {
    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> responses) {
      return new StreamObserver<>() {
        @Override
        public void onNext(ConnectRequest request) {
          synchronized (FakeControlPlane.this) {
            take(request, responses);
          }
        }

        @Override
        public void onError(Throwable failure) {
          gone();
        }

        @Override
        public void onCompleted() {
          gone();
          responses.onCompleted();
        }

        private void gone() {
          if (responses.equals(agent)) {
            agent = null;
          }
        }
      };
    }

    private void take(ConnectRequest request, StreamObserver<ConnectResponse> responses) {
      if (!request.hasHello() && !responses.equals(agent)) {
        // Messages under way on a cut stream are lost.
        return;
      }
      said.add(request);
      switch (request.getMessageCase()) {
        case HELLO -> greet(request.getHello(), responses);
        case UPDATE -> {
          updates.add(request.getUpdate());
          if (acknowledges) {
            acknowledged = request.getUpdate().getSequence();
            responses.onNext(
                ConnectResponse.newBuilder()
                    .setAcknowledge(Acknowledge.newBuilder().setSequence(acknowledged))
                    .build());
          }
        }
        case HEARTBEAT -> {
          if (answersHeartbeats) {
            responses.onNext(
                ConnectResponse.newBuilder()
                    .setHeartbeatReply(
                        HeartbeatReply.newBuilder().setNumber(request.getHeartbeat().getNumber()))
                    .build());
          }
        }
        case CLOSING -> {
          // Only heard.
        }
        case LOG_CHUNK -> chunks.add(request.getLogChunk());
        case MESSAGE_NOT_SET -> throw Status.INVALID_ARGUMENT.asRuntimeException();
      }
    }

    private void greet(Hello hello, StreamObserver<ConnectResponse> responses) {
      if (leaderElsewhere.isPresent()) {
        responses.onNext(
            ConnectResponse.newBuilder()
                .setNotLeader(NotLeader.newBuilder().setAddress(leaderElsewhere.get()))
                .build());
        responses.onCompleted();
        return;
      }
      responses.onNext(
          ConnectResponse.newBuilder()
              .setWelcome(
                  Welcome.newBuilder()
                      .setLeadership(leadership)
                      .setHeartbeatInterval(
                          com.google.protobuf.util.Durations.fromMillis(
                              heartbeatInterval.toMillis()))
                      .setProtocolVersion(protocol)
                      .setAcknowledgedSequence(acknowledged))
              .build());
      hellos.add(hello);
      agent = responses;
    }
  }

  private final class Policy extends TokenServiceGrpc.TokenServiceImplBase {
    @Override
    public void enrollNode(EnrollNodeRequest request, StreamObserver<EnrollNodeResponse> answer) {
      joins.incrementAndGet();
      if (!request.getJoinToken().equals(JOIN_TOKEN)) {
        throw Refusal.of(
                Status.Code.UNAUTHENTICATED, "JOIN_TOKEN_REJECTED", "the join token is not known")
            .exception();
      }
      if (joinRefusal.isPresent()) {
        throw joinRefusal.get().exception();
      }
      machines.enrol(request);
      enrolments.add(request);
      if (losesEnrolments) {
        throw Refusal.unavailable("UNAVAILABLE", "enrolled, but who knows", Duration.ZERO)
            .exception();
      }
      answer.onNext(
          EnrollNodeResponse.newBuilder()
              .setNode("tenants/acme/nodes/" + request.getNodeId())
              .setPool("onprem")
              .setNodeKey("key-of-" + request.getNodeId())
              .build());
      answer.onCompleted();
    }

    @Override
    public void exchangeKey(
        ExchangeKeyRequest request, StreamObserver<ExchangeKeyResponse> answer) {
      exchanges.incrementAndGet();
      if (keyRefusal.isPresent()) {
        throw keyRefusal.get().exception();
      }
      String node = request.getKey().substring("key-of-".length());
      machines.exchange(node, request);
      answer.onNext(
          ExchangeKeyResponse.newBuilder()
              .setToken(tokens.node("acme", node))
              .setExpireTime(
                  com.google.protobuf.util.Timestamps.fromMillis(
                      Instant.now().plusSeconds(600).toEpochMilli()))
              .build());
      answer.onCompleted();
    }
  }

  private final class Pool extends NodeServiceGrpc.NodeServiceImplBase {
    @Override
    public void registerNode(RegisterNodeRequest request, StreamObserver<Node> answer) {
      if (!request.getNode().getName().equals(Principals.current().subject())) {
        throw Refusal.permissionDenied("FOREIGN_NODE", "another node's name").exception();
      }
      registrations.add(request.getNode());
      answer.onNext(request.getNode().toBuilder().setMigAuto(poolMigAuto).build());
      answer.onCompleted();
    }
  }
}
