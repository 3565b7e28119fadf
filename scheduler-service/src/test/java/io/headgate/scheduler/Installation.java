package io.headgate.scheduler;

import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.ServerServiceDefinition;
import io.headgate.kit.client.Channels;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.grpc.HandBrake;
import io.headgate.kit.grpc.MemoryBrake;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.kit.testing.TestTokens;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.scheduler.runtime.leadership.Members;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.opentelemetry.api.metrics.Meter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// A whole scheduler over real gRPC and a real PostgreSQL, between the far ends of its wires. It
/// can be killed and started again on the same port, as a process would be.
final class Installation implements AutoCloseable {
  static final Duration PATIENCE = FakeAgent.PATIENCE;

  final TestTokens tokens;
  final Neighbours neighbours;
  private DatabaseConfig database;
  private Path secrets = TestSecrets.directory();
  private final String replica;
  private UnaryOperator<SchedulerConfig> adjust;
  private final int port;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<FakeAgent> agents = new ArrayList<>();
  private Telemetry telemetry = Telemetry.disabled();
  private TimeSource time = TimeSource.system();
  private ApiServer server;
  private Members members = Members.unwatched(_ -> false);
  private Function<Meter, MemoryBrake> memory =
      meter -> MemoryBrake.ofHeap(SchedulerConfig.Bounds.DEFAULTS.memoryPercent(), meter);
  private SchedulerService service;

  Installation(DatabaseConfig database) {
    this(database, config -> config);
  }

  Installation(DatabaseConfig database, UnaryOperator<SchedulerConfig> adjust) {
    this.tokens = TestTokens.create();
    this.neighbours = new Neighbours(tokens);
    this.database = database;
    this.replica = "scheduler-1";
    this.adjust = adjust;
    this.port = freePort();
  }

  private Installation(Installation other, String replica) {
    this.tokens = other.tokens;
    this.neighbours = other.neighbours;
    this.database = other.database;
    this.secrets = other.secrets;
    this.replica = replica;
    this.adjust = other.adjust;
    this.port = freePort();
  }

  /// Another scheduler of the same installation; closed before this one.
  Installation beside(String otherReplica) {
    return new Installation(this, otherReplica);
  }

  /// Nothing happens by time alone, however long a busy machine keeps a thread waiting: a leader
  /// leads on, and renews nothing in between, and an agent that has nothing to say is no suspect.
  static final SchedulerConfig.Leading TIMES =
      times(Duration.ofMinutes(5), Duration.ofMinutes(5), Duration.ofSeconds(2));

  /// Leaders are missed while a test looks on, and not by mistake.
  static final SchedulerConfig.Leading ELECTING =
      times(Duration.ofSeconds(20), Duration.ofMinutes(5), Duration.ofSeconds(2));

  /// Silence is noticed while a test looks on. Agents that come back one after the other have the
  /// time of a busy machine for that.
  static final SchedulerConfig.Leading SUSPICIOUS =
      times(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofSeconds(10));

  private static SchedulerConfig.Leading times(
      Duration lease, Duration suspectAfter, Duration reconcileWithin) {
    Duration stopMargin = lease;
    return new SchedulerConfig.Leading(
        lease, Duration.ofMillis(200), suspectAfter, reconcileWithin, stopMargin);
  }

  /// The telemetry that it uses from its next start on.
  Installation with(Telemetry newTelemetry) {
    telemetry = newTelemetry;
    return this;
  }

  /// The clocks that it uses from its next start on.
  Installation with(TimeSource newTime) {
    time = newTime;
    return this;
  }

  /// The directory of its key-encryption key from its next start on.
  Installation withSecrets(Path directory) {
    secrets = directory;
    return this;
  }

  /// On which database it works from its next start on.
  Installation on(DatabaseConfig other) {
    database = other;
    return this;
  }

  /// Its times from its next start on.
  Installation with(SchedulerConfig.Leading leading) {
    return adjusted(config -> config.with(leading));
  }

  /// The group in which it sees the other replicas from its next start on.
  Installation with(Members newMembers) {
    members = newMembers;
    return this;
  }

  /// The memory that it has from its next start on.
  Installation with(HandBrake newMemory) {
    memory = _ -> newMemory.brake();
    return this;
  }

  /// It never leads from its next start on.
  Installation asDoor() {
    return adjusted(SchedulerConfig::asDoor);
  }

  /// The address at which others reach it from its next start on.
  Installation reachedAt(String address) {
    return adjusted(config ->
        new SchedulerConfig(
            config.database(),
            config.secretsDirectory(),
            config.replica(),
            address,
            config.pools(),
            config.policies(),
            config.serviceKey(),
            config.placement(),
            config.mayLead(),
            config.group(),
            config.leading(),
            config.bounds(),
            config.history(),
            config.usage(),
            config.watches()));
  }

  private Installation adjusted(UnaryOperator<SchedulerConfig> further) {
    UnaryOperator<SchedulerConfig> before = adjust;
    adjust = config -> further.apply(before.apply(config));
    return this;
  }

  Installation start() {
    return start(Failpoint.Handler.NONE);
  }

  /// A service that is never started; the caller closes it.
  SchedulerService unstarted() {
    return made(Failpoint.Handler.NONE);
  }

  private SchedulerService made(Failpoint.Handler failpoints) {
    return new SchedulerService(
        adjust.apply(
            SchedulerConfig.of(
                    database,
                    secrets,
                    address(),
                    TestChannels.patient(neighbours.uri()),
                    TestChannels.patient(neighbours.uri()),
                    Secret.of(Neighbours.KEY))
                .with(TIMES)
                .named(replica)),
        telemetry,
        time,
        new Surroundings(_ -> members, memory, failpoints));
  }

  Installation start(Failpoint.Handler failpoints) {
    service = made(failpoints);
    ApiServer.Builder api =
        ApiServer.builder(apiConfig(), telemetry).authentication(tokens.verifier());
    service.register(api);
    server = api.build();
    server.start();
    service.start();
    return this;
  }

  /// A dead process does not wait for its callers, so neither does its server here.
  private ApiServerConfig apiConfig() {
    ApiServerConfig defaults = ApiServerConfig.of("127.0.0.1", port);
    return new ApiServerConfig(
        defaults.host(),
        defaults.port(),
        defaults.tls(),
        defaults.discovery(),
        defaults.maxMessageSize(),
        defaults.maxStreams(),
        defaults.maxConnections(),
        defaults.maxConnectionsPerAddress(),
        defaults.maxHandlers(),
        defaults.maxCalls(),
        defaults.requestTimeout(),
        defaults.idleTimeout(),
        defaults.maxConnectionAge(),
        Duration.ofMillis(100));
  }

  /// Waits until it leads and knows the tenant.
  Installation awaitReady(String queue) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .pollInterval(Duration.ofMillis(10))
        .until(() ->
            jobs(tokens.operator())
                .submitJob(Fixtures.submit(queue).toBuilder().setValidateOnly(true).build())
                .hasSpec());
    return this;
  }

  /// Ends as by `kill -9`, long ago.
  void kill() {
    service.kill();
    closeServer();
  }

  /// Its callers lose their connections, and it leads on.
  void cutOff() {
    server.close();
  }

  /// Calls in progress, streams included.
  int calls() {
    return server.callsInProgress();
  }

  /// Ends as by `kill -9`, just now.
  void killJustNow() {
    service.kill();
    server.close();
    service.releaseResources();
  }

  /// The rest of a process whose service died by itself.
  void closeServer() {
    server.close();
    service.releaseResources();
    letLeaseRunOut();
  }

  /// Lets the lease expire at once, as time would.
  private void letLeaseRunOut() {
    try (Database opened = Database.open(database.asOwner())) {
      opened
          .jooq()
          .execute("update leadership set lease_until = least(lease_until, clock_timestamp())");
    }
  }

  /// Ends in order.
  void stop() {
    service.close();
    server.close();
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  SchedulerService service() {
    return service;
  }

  /// The gRPC services of its server.
  List<ServerServiceDefinition> services() {
    return server.services();
  }

  Channel channel(String token) {
    ManagedChannel channel =
        Channels.open(
            TestChannels.patient(URI.create("http://127.0.0.1:" + port)),
            () -> Optional.of(token),
            Telemetry.disabled());
    channels.add(channel);
    return channel;
  }

  JobServiceGrpc.JobServiceBlockingStub jobs(String token) {
    return JobServiceGrpc.newBlockingStub(channel(token));
  }

  UsageServiceGrpc.UsageServiceBlockingStub usage(String token) {
    return UsageServiceGrpc.newBlockingStub(channel(token));
  }

  JobServiceGrpc.JobServiceBlockingStub alice() {
    return jobs(tokens.member("acme", "alice", "rnd"));
  }

  /// A connection of alice that takes little in advance.
  Channel narrow() {
    ManagedChannel channel =
        TestChannels.narrow(
            URI.create("http://127.0.0.1:" + port), tokens.member("acme", "alice", "rnd"));
    channels.add(channel);
    return channel;
  }

  JobServiceGrpc.JobServiceBlockingStub eve() {
    return jobs(tokens.member("acme", "eve", "devops"));
  }

  /// An agent of the node, not yet connected.
  FakeAgent agent(String node) {
    FakeAgent agent = new FakeAgent("acme", node, channel(tokens.node("acme", node)));
    agents.add(agent);
    return agent;
  }

  /// An agent of a node that several tenants share, not yet connected.
  FakeAgent sharedAgent(String node) {
    FakeAgent agent = new FakeAgent("platform", node, channel(tokens.node("platform", node)));
    agents.add(agent);
    return agent;
  }

  /// The agent's next stream comes here.
  FakeAgent adopt(FakeAgent agent) {
    return agent.through(channel(tokens.node("acme", agent.node)));
  }

  static String submit(JobServiceGrpc.JobServiceBlockingStub jobs, SubmitJobRequest request) {
    return FakeAgent.id(jobs.submitJob(request).getName());
  }

  static Job get(JobServiceGrpc.JobServiceBlockingStub jobs, String id) {
    return jobs.getJob(GetJobRequest.newBuilder().setName(Fixtures.ACME + "/jobs/" + id).build());
  }

  static Job awaitState(JobServiceGrpc.JobServiceBlockingStub jobs, String id, Job.State state) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .pollInterval(Duration.ofMillis(10))
        .until(() -> get(jobs, id).getState() == state);
    return get(jobs, id);
  }

  @Override
  public void close() {
    agents.forEach(FakeAgent::close);
    channels.forEach(ManagedChannel::shutdownNow);
    stop();
    neighbours.close();
  }

  /// A port that no other process is given meanwhile: it lies below the ports that Linux assigns to
  /// outgoing connections and to port 0.
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // The port is taken: try another one.
      }
    }
  }
}
