package io.headgate.scheduler;

import com.sun.net.httpserver.HttpServer;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestTokens;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Schedulers as processes of their own, on a PostgreSQL that keeps what it acknowledges, with
/// pools and rights served from memory and agents that run nothing.
final class LoadRig implements AutoCloseable {
  static final int GPUS_PER_NODE = 8;

  /// Policies: `steady` may use everything, `firm` is entitled to a tenth, `loose` to nothing, and
  /// `crowd` waits: it may use one GPU.
  static final String QUICK = "quick";

  static final String FIRM = LoadAgent.HELD + "firm";
  static final String LOOSE = LoadAgent.HELD + "loose";
  static final String CROWD = LoadAgent.HELD + "crowd";
  static final int CROWDS = 10;
  static final int ATTACKERS = 10;

  private static final String MULTIPLY =
      """
      insert into job (id, tenant, name, queue, policy, profile, gpu_units, workers, user_id,
        submitter, priority, by_role, labels, traceparent, created_at, submitted_at, state,
        sequence, attempts, simulated, version)
      select last.id + i, tenant, name || '-copy-' || i, queue, policy, profile, gpu_units, workers,
        user_id, submitter, priority, by_role, labels, traceparent,
        created_at + i * interval '1 ms', submitted_at + i * interval '1 ms', state,
        last.sequence + i, attempts, simulated, version
      from (select max(id) as id, max(sequence) as sequence from job) last
        cross join generate_series(1, %d) i
        join (select job.*, row_number() over (order by id) as number, count(*) over () as total
          from job where state = 'WAITING') one on one.number = 1 + i %% one.total\
      """;

  /// As an earlier version stored them: the next start seals them.
  private static final String MULTIPLY_SPECS =
      """
      insert into job_spec (job_id, open_document)
      select id, decode('%s', 'hex') from job
      where not exists (select from job_spec where job_id = id)\
      """;

  /// How a scheduler differs from the usual one.
  enum Variant {
    USUAL,
    /// It exports to a receiver, which throws all away.
    EXPORTING,
    WITHOUT_LEDGER
  }

  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private final Path directory;
  private final String profile;

  /// Takes all telemetry and throws it away.
  private final Optional<HttpServer> receiver;

  private final String heap;
  private final List<String> jvm;
  private final TestTokens tokens = TestTokens.create();
  private final Neighbours neighbours = new Neighbours(tokens);
  private final PostgresServer postgres;
  private final DatabaseConfig database;
  private final List<Integer> ports = new ArrayList<>();
  private final List<Integer> groupPorts = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();
  private final List<ManagedChannel> channels = new CopyOnWriteArrayList<>();
  private final Map<Integer, JobServiceBlockingStub> stubs = new ConcurrentHashMap<>();
  private final Map<String, ManagedChannel> attacks = new ConcurrentHashMap<>();
  private final LoadFleet fleet = new LoadFleet();
  private final int gpus;
  private final int schedulers;
  private final Variant variant;
  private final int metricsPort;
  private final boolean isUnbounded;

  private ResourceConfiguration resources = ResourceConfiguration.getDefaultInstance();

  /// Which of them leads, and agents connect to: moves on when it is killed.
  private volatile int leader;

  /// @param schedulers how many processes; the first one leads first
  LoadRig(Path directory, LoadBenchmark.Options options, int schedulers) throws IOException {
    this(directory, options, schedulers, options.exports() ? Variant.EXPORTING : Variant.USUAL);
  }

  LoadRig(Path directory, LoadBenchmark.Options options, int schedulers, Variant variant)
      throws IOException {
    this.directory = Files.createDirectories(directory);
    this.variant = variant;
    this.metricsPort = freePort();
    this.profile = options.profile();
    this.receiver = variant == Variant.EXPORTING ? Optional.of(receiver()) : Optional.empty();
    this.heap = options.heap();
    this.jvm = options.jvm();
    this.schedulers = schedulers;
    // The bounds are measured themselves under attack.
    this.isUnbounded = Collections.disjoint(options.rows(), LoadBenchmark.ATTACKS);
    this.gpus = options.nodes() * GPUS_PER_NODE;
    this.postgres =
        PostgresServer.start(directory.resolve("postgres"), PostgresServer.Durability.FULL)
            .restartWhenItDies();
    this.database = postgres.provision("load", "scheduler");
    describe(options.nodes());
    for (int i = 0; i < schedulers; i++) {
      ports.add(freePort());
      groupPorts.add(freePort());
    }
    launchAll();
  }

  private void launchAll() throws IOException {
    for (int i = 0; i < schedulers; i++) {
      processes.add(launch(i));
      if (i == 0) {
        await("a leader", () -> isReady(0));
      }
    }
    await("all schedulers", () -> isReady(schedulers - 1));
  }

  /// Makes so many waiting jobs of the few that wait, by SQL, which is quicker than to submit a
  /// million; meanwhile no scheduler runs.
  void multiply(int jobs) throws IOException {
    for (Process process : processes) {
      process.destroy();
      process.onExit().join();
    }
    processes.clear();
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(MULTIPLY.formatted(jobs));
      byte[] specification = Fixtures.submit(QUICK).getSpec().toByteArray();
      statement.execute(MULTIPLY_SPECS.formatted(HexFormat.of().formatHex(specification)));
      statement.execute("analyze");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    launchAll();
  }

  /// @param jobs how many are stored
  /// @param names of how many different names
  record Stored(long jobs, long names) {}

  /// The jobs that are stored whose name begins so.
  Stored stored(String prefix) {
    try (Connection connection = connect();
        PreparedStatement count =
            connection.prepareStatement(
                "select count(*), count(distinct name) from job where starts_with(name, ?)")) {
      count.setString(1, prefix);
      try (ResultSet counted = count.executeQuery()) {
        counted.next();
        return new Stored(counted.getLong(1), counted.getLong(2));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A connection to the database of the schedulers.
  Connection connect() throws SQLException {
    Connection connection =
        DriverManager.getConnection(
            database.url(), database.asOwner().user(), database.asOwner().password().reveal());
    connection.setSchema(database.schema());
    return connection;
  }

  private void describe(int nodes) {
    Profile one =
        Fixtures.profile("one", "1", "main").toBuilder()
            .setCpuMillis(1000)
            .setMemoryBytes(1L << 30)
            .build();
    neighbours.quietly();
    resources = Fixtures.resources(List.of(Fixtures.pool("main")), List.of(one));
    neighbours.provision(resources);
    List<io.headgate.proto.policy.v1.Queue> queues = new ArrayList<>();
    queues.add(Fixtures.queue(QUICK, "steady", "one", 1));
    queues.add(Fixtures.queue(FIRM, "firm", "one", 1));
    queues.add(Fixtures.queue(LOOSE, "loose", "one", 1));
    for (int i = 0; i < CROWDS; i++) {
      queues.add(Fixtures.queue(crowd(i), "crowd", "one", 2));
    }
    String all = Integer.toString(gpus);
    neighbours.grant(
        Fixtures.access(
            List.of(Fixtures.group("team", members())),
            List.of(
                Fixtures.policy("steady", "team", Integer.toString(gpus / 2), all),
                Fixtures.policy("firm", "team", Integer.toString(gpus / 10), all),
                Fixtures.policy("loose", "team", "0", all),
                Fixtures.policy("crowd", "team", "0", "1")),
            queues));
    for (int i = 0; i < nodes; i++) {
      neighbours.register(Fixtures.node(node(i), "main", GPUS_PER_NODE));
    }
  }

  static String crowd(int number) {
    return CROWD + "-" + number % CROWDS;
  }

  private static String node(int number) {
    return "n-" + number;
  }

  int gpus() {
    return gpus;
  }

  PostgresServer postgres() {
    return postgres;
  }

  private static HttpServer receiver() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private Process launch(int index) throws IOException {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("HEADGATE_API_PORT", Integer.toString(ports.get(index)));
    variables.put("HEADGATE_SCHEDULER_DATABASE_URL", database.url());
    variables.put("HEADGATE_SCHEDULER_DATABASE_USER", database.user());
    variables.put("HEADGATE_SCHEDULER_DATABASE_SCHEMA", database.schema());
    variables.put("HEADGATE_SCHEDULER_DATABASE_PASSWORD", database.password().reveal());
    variables.put("HEADGATE_SCHEDULER_DATABASE_OWNER_USER", database.asOwner().user());
    variables.put(
        "HEADGATE_SCHEDULER_DATABASE_OWNER_PASSWORD", database.asOwner().password().reveal());
    variables.put("HEADGATE_SCHEDULER_SECRETS_DIRECTORY", directory.resolve("secrets").toString());
    variables.put("HEADGATE_SCHEDULER_REPLICA", "scheduler-" + (index + 1));
    variables.put("HEADGATE_SCHEDULER_ADVERTISED_ADDRESS", "127.0.0.1:" + ports.get(index));
    variables.put("HEADGATE_SCHEDULER_POOLS_SERVER", neighbours.uri().toString());
    variables.put("HEADGATE_SCHEDULER_POLICIES_SERVER", neighbours.uri().toString());
    variables.put("HEADGATE_SCHEDULER_SERVICE_KEY", Neighbours.KEY);
    // The port of the first scheduler is known.
    variables.put(
        "HEADGATE_TELEMETRY_METRICS_PORT", Integer.toString(index == 0 ? metricsPort : 0));
    variables.put("HEADGATE_TELEMETRY_METRICS_ACCESS", "open");
    receiver.ifPresent(server ->
        variables.put(
            "HEADGATE_TELEMETRY_OTLP_ENDPOINT",
            "http://127.0.0.1:" + server.getAddress().getPort()));
    if (isUnbounded) {
      // All agents are on this machine.
      variables.put("HEADGATE_API_MAX_CONNECTIONS", "20000");
      variables.put("HEADGATE_API_MAX_CONNECTIONS_PER_ADDRESS", "20000");
      // One user submits all that waits.
      for (String bound : List.of("TOTAL", "PER_TENANT", "PER_QUEUE", "PER_USER")) {
        variables.put("HEADGATE_SCHEDULER_BOUNDS_WAITING_" + bound, "10000000");
      }
    }
    // Discovery is off, as on every public address.
    variables.put("HEADGATE_API_DISCOVERY", "off");
    if (ports.size() > 1) {
      variables.put("HEADGATE_SCHEDULER_GROUP_ADDRESS", "127.0.0.1:" + groupPorts.get(index));
      variables.put(
          "HEADGATE_SCHEDULER_GROUP_MEMBERS",
          String.join(",", groupPorts.stream().map(port -> "127.0.0.1:" + port).toList()));
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                // See Benchmarks: memory that grows while something is measured counts as work.
                "-Xms" + heap,
                "-Xmx" + heap,
                "-XX:+AlwaysPreTouch",
                // Short pauses: see docs/decisions/0021.
                "-XX:MaxGCPauseMillis=20"));
    command.addAll(jvm);
    if (index == schedulers - 1 && !profile.isEmpty()) {
      command.add(
          "-XX:StartFlightRecording=settings=profile,jdk.CPUTimeSample#enabled=true,jdk.CPUTimeSample#throttle=1ms,dumponexit=true,filename="
              + profile);
    }
    Class<?> main = variant == Variant.WITHOUT_LEDGER ? LoadScheduler.class : SchedulerMain.class;
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log(index).toFile()));
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    builder.environment().putAll(variables);
    return builder.start();
  }

  private Path log(int index) {
    return directory.resolve("scheduler-" + (index + 1) + ".log");
  }

  private boolean isReady(int index) {
    if (!processes.get(index).isAlive()) {
      throw new IllegalStateException("a scheduler ended: see " + directory);
    }
    try {
      return jobs(index)
          .submitJob(Fixtures.submit(QUICK).toBuilder().setValidateOnly(true).build())
          .hasSpec();
    } catch (RuntimeException e) {
      return false;
    }
  }

  /// Connects agents of all nodes, and waits until the leader has welcomed each.
  void connectAgents(int nodes, LoadAgent.Listener listener) {
    for (int i = 0; i < nodes; i++) {
      String token = tokens.node("acme", node(i));
      fleet.join(node(i), () -> open(leader, token), listener);
    }
    fleet.connect();
  }

  LoadFleet fleet() {
    return fleet;
  }

  private static String[] members() {
    return Stream.concat(
            Stream.of("alice"),
            IntStream.range(0, ATTACKERS).mapToObj(number -> "attacker-" + number))
        .toArray(String[]::new);
  }

  /// Pools and profiles as they are.
  ResourceConfiguration resources() {
    return resources;
  }

  /// A connection of another user of all queues, that takes little in advance.
  ///
  /// @param number of the user, below [#ATTACKERS]
  /// @param connection of the user
  synchronized Channel attacker(int number, int connection) {
    return attacks.computeIfAbsent(
        "attacker-%d %d".formatted(number, connection),
        _ -> narrow(tokens.member("acme", "attacker-" + number, "team")));
  }

  /// A connection of an admin.
  Channel planner(int number) {
    return attacks.computeIfAbsent("planner-" + number, _ -> narrow(tokens.admin("acme")));
  }

  private ManagedChannel narrow(String token) {
    ManagedChannel channel =
        TestChannels.narrow(URI.create("http://127.0.0.1:" + ports.get(leader)), token);
    channels.add(channel);
    return channel;
  }

  /// A connection to the leader, of a user of all queues.
  Channel channel() {
    return channel(leader, alice());
  }

  private Channel channel(int index, String token) {
    ManagedChannel channel = open(index, token);
    channels.add(channel);
    return channel;
  }

  private ManagedChannel open(int index, String token) {
    ChannelConfig config =
        new ChannelConfig(
            URI.create("http://127.0.0.1:" + ports.get(index)),
            Optional.empty(),
            Duration.ofSeconds(60),
            Duration.ofSeconds(20),
            ByteSize.parse("64MiB"));
    return Channels.open(config, () -> Optional.of(token), Telemetry.disabled());
  }

  private String alice() {
    return tokens.member("acme", "alice", "team");
  }

  /// Jobs through one scheduler.
  JobServiceBlockingStub jobs(int index) {
    return stubs.computeIfAbsent(
        index, _ -> JobServiceGrpc.newBlockingStub(channel(index, alice())));
  }

  /// Where the first scheduler is scraped.
  int metricsPort() {
    return metricsPort;
  }

  /// The port of the leader.
  int port() {
    return ports.get(leader);
  }

  /// Which scheduler leads.
  int leader() {
    return leader;
  }

  /// Kills the leader as `kill -9` does; the next one is to follow it.
  void killLeader() {
    processes.get(leader).destroyForcibly().onExit().join();
    leader = (leader + 1) % schedulers;
  }

  /// Starts again what was killed last, and waits until it serves.
  void startAgain() {
    int dead = (leader + schedulers - 1) % schedulers;
    try {
      processes.set(dead, launch(dead));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    await("a scheduler that was started again", () -> isReady(dead));
  }

  /// Kills PostgreSQL with all its processes; it is started again.
  void killDatabase() {
    ProcessStat.ofTree(postmaster())
        .forEach(each -> ProcessHandle.of(each.pid()).ifPresent(ProcessHandle::destroyForcibly));
  }

  /// The log lines of the leader about its last take-over.
  List<String> takeover() {
    try (var lines = Files.lines(log(leader))) {
      List<String> said =
          lines.filter(line -> line.contains("Takeover") || line.contains(" leads, ")).toList();
      int last =
          IntStream.range(0, said.size())
              .filter(line -> said.get(line).contains(" leads, "))
              .max()
              .orElse(0);
      return said.subList(last, said.size());
    } catch (IOException e) {
      throw new IllegalStateException("no log", e);
    }
  }

  /// Processor seconds that the leader has used, and PostgreSQL with all its processes.
  double[] cpuSeconds() {
    return new double[] {
      ProcessStat.of(processes.get(leader).pid())
          .orElseThrow(() -> new IllegalStateException("the leader has ended"))
          .cpuSeconds(),
      ProcessStat.ofTree(postmaster()).stream().mapToDouble(ProcessStat::cpuSeconds).sum()
    };
  }

  /// Keeps this process off the processors of the leader and the database until closed.
  LoadProcessors apart() {
    return LoadProcessors.apart(processes.get(leader).pid(), postmaster());
  }

  /// Processor time of a scheduler, by thread.
  Map<String, Double> threadSeconds(int scheduler) {
    return ProcessStat.threadSeconds(processes.get(scheduler).pid());
  }

  /// Memory of the leader in bytes: what the kernel counts at most until now, and what of the heap
  /// is in use after a collection.
  long[] memoryBytes() {
    long pid = processes.get(leader).pid();
    return new long[] {ProcessStat.mostResidentBytes(pid), ProcessStat.heapBytes(pid)};
  }

  private long postmaster() {
    try (var files = Files.find(directory, 4, (path, _) -> path.endsWith("postmaster.pid"))) {
      return Long.parseLong(Files.readAllLines(files.findFirst().orElseThrow()).getFirst().strip());
    } catch (IOException e) {
      throw new IllegalStateException("PostgreSQL has ended", e);
    }
  }

  static void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("waited in vain for " + what);
      }
      pause(Duration.ofMillis(20));
    }
  }

  static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    fleet.close();
    channels.forEach(ManagedChannel::shutdownNow);
    if (!profile.isEmpty()) {
      // The recorder writes when its process ends in order.
      processes.getLast().destroy();
      processes.getLast().onExit().join();
    }
    processes.forEach(Process::destroyForcibly);
    processes.forEach(process -> process.onExit().join());
    neighbours.close();
    receiver.ifPresent(server -> server.stop(0));
    postgres.delete();
  }
}
