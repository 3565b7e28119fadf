package io.headgate.scheduler;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.RenewedTokens;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.db.SharedSecrets;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.MemoryBrake;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.kit.watch.WatchHub;
import io.headgate.proto.agent.v1.AgentServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import io.headgate.scheduler.client.ContractDraftReader;
import io.headgate.scheduler.client.HazelcastMembers;
import io.headgate.scheduler.client.KeyExchange;
import io.headgate.scheduler.client.PolicyAccessSource;
import io.headgate.scheduler.client.PoolCatalogSource;
import io.headgate.scheduler.grpc.AgentEndpoint;
import io.headgate.scheduler.grpc.AgentSessions;
import io.headgate.scheduler.grpc.CallerTrace;
import io.headgate.scheduler.grpc.CopyBound;
import io.headgate.scheduler.grpc.EndpointParts;
import io.headgate.scheduler.grpc.JobEndpoint;
import io.headgate.scheduler.grpc.JobVaults;
import io.headgate.scheduler.grpc.LeaderRelay;
import io.headgate.scheduler.grpc.LogReads;
import io.headgate.scheduler.grpc.PlanEndpoint;
import io.headgate.scheduler.grpc.UsageEndpoint;
import io.headgate.scheduler.grpc.UsageReportEndpoint;
import io.headgate.scheduler.runtime.catalog.StoredRights;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.leadership.BudgetCounter;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.leadership.Members;
import io.headgate.scheduler.runtime.leadership.Replica;
import io.headgate.scheduler.runtime.leadership.TakeoverWarmup;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.record.HistoryKeeper;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.Retention;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.runtime.record.UsageKeeper;
import io.headgate.scheduler.runtime.record.UsageReader;
import io.headgate.scheduler.runtime.record.UsageStore;
import io.headgate.scheduler.runtime.submission.KnownKeys;
import io.headgate.scheduler.runtime.submission.NameAllocator;
import io.headgate.scheduler.runtime.trace.Sampling;
import io.headgate.scheduler.runtime.trace.SpanWriter;
import io.headgate.scheduler.runtime.trace.TraceLog;
import io.headgate.scheduler.store.PostgresHistory;
import io.headgate.scheduler.store.PostgresIntervals;
import io.headgate.scheduler.store.PostgresJobReader;
import io.headgate.scheduler.store.PostgresSchedulerStore;
import io.headgate.scheduler.store.PostgresTraceLog;
import io.headgate.scheduler.store.PostgresUsage;
import io.headgate.scheduler.store.PostgresUsageStore;
import io.headgate.scheduler.store.SealedColumns;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.DSLContext;

/// The scheduler service: what its own process and the all-in-one are made of. Constructed, then
/// registered on a server, then started when the server runs; stopped before the server and closed
/// after it.
public final class SchedulerService implements AutoCloseable {
  /// For the scheduler's own work: loading, history, and look-ups that submissions share.
  private static final int OWN_CONNECTIONS = 6;

  /// An explanation is answered without a forecast if the forecast's turn does not come within this
  /// time.
  private static final Duration FORECAST_PATIENCE = Duration.ofSeconds(1);

  /// Refused while memory is short. Agents' streams, cancellations and reads go on.
  private static final Set<MethodDescriptor<?, ?>> NEW_WORK =
      Set.of(
          JobServiceGrpc.getSubmitJobMethod(),
          JobServiceGrpc.getBatchSubmitJobsMethod(),
          JobServiceGrpc.getWatchJobsMethod(),
          JobServiceGrpc.getWatchEventsMethod(),
          PlanServiceGrpc.getPlanConfigurationMethod());

  private final Database database;
  private final SharedSecrets secrets;
  private final ManagedChannel keyChannel;
  private final ManagedChannel policyChannel;
  private final ManagedChannel poolChannel;
  private final WatchHub watches;
  private final AgentSessions sessions = new AgentSessions();
  private final Members members;
  private final LeaderDoor door;
  private final Replica replica;
  private final TakeoverWarmup warmUp;
  private final HistoryKeeper history;
  private final UsageKeeper ledger;
  private final BudgetCounter budgets;
  private final Optional<SpanWriter> spans;
  private final KnownKeys names;
  private final KnownKeys requests;
  private final BatchCallback gauges;
  private final SchedulerConfig.Bounds bounds;
  private final MemoryBrake memory;
  private final JobEndpoint jobs;
  private final UsageEndpoint usage;
  private final UsageReportEndpoint reports;
  private final PlanEndpoint plans;
  private final AgentEndpoint agents;
  private final LeaderRelay relay;

  /// Connects to the database and migrates it; nothing else runs before [#start].
  public SchedulerService(SchedulerConfig config, Telemetry telemetry, TimeSource time) {
    this(config, telemetry, time, Surroundings.of(config, time));
  }

  SchedulerService(
      SchedulerConfig config, Telemetry telemetry, TimeSource time, Surroundings surroundings) {
    this.database = Database.open(config.database());
    Seal seal = seal(database, config.secretsDirectory(), time);
    this.secrets = new SharedSecrets(database, seal, "secret", "name");
    this.members = surroundings.members().apply(this::groupSecret);
    Meter meter = telemetry.meter("io.headgate.scheduler");
    database.observe(meter);
    this.keyChannel = Channels.open(config.policies(), TokenSource.anonymous(), telemetry);
    TokenSource tokens = new RenewedTokens(new KeyExchange(keyChannel, config.serviceKey()), time);
    this.policyChannel = Channels.open(config.policies(), tokens, telemetry);
    this.poolChannel = Channels.open(config.pools(), tokens, telemetry);
    this.watches = new WatchHub("scheduler", config.watches(), meter);
    DSLContext across = database.acrossTenants(OWN_CONNECTIONS);
    JobReader reader = new PostgresJobReader(database, across, seal);
    PolicyAccessSource rights = new PolicyAccessSource(policyChannel);
    SchedulerInstruments instruments = new SchedulerInstruments(meter, config.replica());
    LeaderPorts ports =
        new LeaderPorts(
            surroundings.store().apply(PostgresSchedulerStore.of(database, across, seal)),
            reader,
            List.of(new PoolCatalogSource(poolChannel), rights),
            time,
            instruments,
            watches::committed,
            surroundings.failpoints(),
            JobVaults::asked);
    LoopSettings settings = config.settings(telemetry.traceRatio());
    this.door = new LeaderDoor(config.advertisedAddress());
    this.replica = new Replica(door, candidate(config, settings), settings, ports, this.members);
    this.warmUp = new TakeoverWarmup(config.replica(), settings, ports);
    this.gauges = instruments.observe(door);
    Retention retention = new Retention(config.history().keep());
    PostgresHistory kept = new PostgresHistory(across);
    this.history = new HistoryKeeper(kept, retention, kept::now, door::isLeading);
    this.ledger = ledger(new PostgresUsageStore(across), config.usage(), kept);
    this.spans = spans(telemetry, new PostgresTraceLog(across), meter, kept::now);
    this.names = new KnownKeys("names", reader.names());
    this.requests = new KnownKeys("requests", reader.requests());
    this.bounds = config.bounds();
    StoredRights stored = new StoredRights(rights, reader, time);
    EndpointParts parts = parts(reader, retention, telemetry, stored, time);
    this.memory = surroundings.memory().apply(meter);
    this.jobs = new JobEndpoint(parts, new LogReads(reader, sessions, bounds.logs()), watches);
    this.usage = new UsageEndpoint(parts);
    PostgresUsage used = new PostgresUsage(database);
    this.reports = reports(parts, used, config.usage());
    this.budgets = new BudgetCounter(door, used);
    this.plans = new PlanEndpoint(parts, new ContractDraftReader(), memory);
    this.agents = new AgentEndpoint(door, sessions, time);
    this.relay = relay(config.policies(), telemetry, List.of(jobs, usage, reports, plans, agents));
  }

  private UsageKeeper ledger(UsageStore store, UsageConfig config, PostgresHistory clock) {
    return new UsageKeeper(store, config.retention(), clock::now, door::isLeading);
  }

  private EndpointParts parts(
      JobReader reader,
      Retention retention,
      Telemetry telemetry,
      StoredRights rights,
      TimeSource time) {
    return new EndpointParts(
        door,
        reader,
        new NameAllocator(reader, names),
        requests,
        new PageTokens(secrets.get("page-tokens", PageTokens.KEY_LENGTH)),
        time,
        retention,
        new CopyBound(bounds.plans()),
        new CopyBound(CopyBound.Limits.ofPatience(FORECAST_PATIENCE)),
        telemetry::traceParent,
        rights);
  }

  private UsageReportEndpoint reports(EndpointParts parts, UsageReader used, UsageConfig config) {
    return new UsageReportEndpoint(
        parts, used, new PostgresIntervals(database), config.retention());
  }

  private LeaderRelay relay(
      ChannelConfig policies, Telemetry telemetry, List<BindableService> services) {
    return new LeaderRelay(
        door, address -> Channels.openForOthers(peer(policies, address), telemetry), services);
  }

  private Optional<SpanWriter> spans(
      Telemetry telemetry, TraceLog log, Meter meter, InstantSource time) {
    return telemetry
        .spans("io.headgate.scheduler")
        .map(output ->
            new SpanWriter(
                log,
                new MeasuredSpans(output, meter),
                new Sampling(telemetry.traceRatio()),
                time,
                door::isLeading));
  }

  /// Leaves nothing open if the file does not belong to the database.
  private static Seal seal(Database database, Path secrets, TimeSource time) {
    try {
      return SealedColumns.open(database, new KeyFile(secrets), time);
    } catch (RuntimeException | Error e) {
      database.close();
      throw e;
    }
  }

  private byte[] groupSecret() {
    return secrets.get("group", HazelcastMembers.SECRET_LENGTH);
  }

  private static Candidate candidate(SchedulerConfig config, LoopSettings settings) {
    return new Candidate(
        config.replica(),
        config.advertisedAddress(),
        config.mayLead(),
        settings.lease(),
        settings.missedRenewal());
  }

  /// Schedulers reach each other by the same scheme and with the same trust as policy-service.
  private static ChannelConfig peer(ChannelConfig policies, String address) {
    return new ChannelConfig(
        URI.create(policies.server().getScheme() + "://" + address),
        policies.trust(),
        policies.deadline(),
        policies.keepAlive(),
        policies.maxMessageSize());
  }

  /// The commands for the key-encryption key of the service on this database.
  public static EncryptionKeyCommands encryptionKey(DatabaseConfig config, Path secrets) {
    return new EncryptionKeyCommands(
        config, secrets, SealedColumns.RENEWABLE, SealedColumns::forgetCatalogs);
  }

  /// Puts its gRPC services on a server that others may share.
  public void register(ApiServer.Builder api) {
    api.service(jobs).service(usage).service(reports).service(plans).service(agents);
    api.interceptor(memory.interceptor(NEW_WORK)).interceptor(relay).interceptor(new CallerTrace());
    // Most of a job's cost comes from these two methods.
    api.prompt(AgentServiceGrpc.getConnectMethod()).prompt(JobServiceGrpc.getSubmitJobMethod());
    api.bound(JobServiceGrpc.getSubmitJobMethod(), bounds.submitCalls())
        .bound(JobServiceGrpc.getBatchSubmitJobsMethod(), bounds.batchCalls());
  }

  /// Stands for leadership. Returns before it leads.
  public void start() {
    // These prepare for the first event of a leader.
    history.start();
    ledger.start();
    budgets.start();
    spans.ifPresent(SpanWriter::start);
    replica.start();
    warmUp.start();
  }

  /// Whether this process leads now.
  public boolean isLeading() {
    return door.isLeading();
  }

  /// Open streams of agents.
  int agents() {
    return sessions.count();
  }

  /// Name of the leader at the last look; empty: none.
  public Optional<String> leader() {
    return door.leadership().flatMap(Leadership::leader);
  }

  /// The epoch at the last look; 0: there was no leader yet.
  public long epoch() {
    return door.leadership().map(Leadership::epoch).orElse(0L);
  }

  /// Ends as by `kill -9`, as seen from outside: no work is finished, no call answered, no
  /// leadership released. Its resources are released by [#releaseResources] when its server is gone
  /// too.
  void kill() {
    warmUp.close();
    history.close();
    ledger.close();
    budgets.close();
    spans.ifPresent(SpanWriter::close);
    names.close();
    requests.close();
    replica.kill();
    watches.close();
  }

  /// Lets go of connections.
  void releaseResources() {
    members.close();
    relay.close();
    gauges.close();
    Channels.close(poolChannel);
    Channels.close(policyChannel);
    Channels.close(keyChannel);
    database.close();
  }

  /// Finishes accepted requests and releases leadership. Later requests are answered from the
  /// database or refused, so this precedes the end of the server, and [#close] follows it.
  public void stop() {
    warmUp.close();
    history.close();
    ledger.close();
    budgets.close();
    spans.ifPresent(SpanWriter::close);
    names.close();
    requests.close();
    replica.close();
    watches.close();
  }

  /// Stops, and releases all resources.
  @Override
  public void close() {
    stop();
    releaseResources();
  }
}
