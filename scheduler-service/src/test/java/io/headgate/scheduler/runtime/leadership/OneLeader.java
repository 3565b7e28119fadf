package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.testing.TestClock;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Catalogs;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.desk.WaitingBounds;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.runtime.trace.Sampling;
import io.headgate.type.CommandPattern;
import io.headgate.type.GpuQuantity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A leader of a tenant with one queue, on a store in memory and a clock that a test moves.
final class OneLeader {
  static final TenantId TENANT = new TenantId("acme");
  private static final QueueId QUEUE = new QueueId(TENANT, "queue");
  private static final PolicyId POLICY = new PolicyId(TENANT, "policy");
  private static final ProfileId PROFILE = new ProfileId(TENANT, "none");
  static final LoopSettings SETTINGS =
      new LoopSettings(
          SchedulerCore.DEFAULT_PLACEMENT,
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofMinutes(2),
          100,
          100,
          100,
          WaitingBounds.ofEach(100),
          Duration.ofSeconds(30),
          Sampling.ALL);

  /// Without devices.
  static final List<NodeId> MACHINES =
      IntStream.range(0, 5).mapToObj(i -> new NodeId(TENANT, "n-" + i)).toList();

  final TestClock time = new TestClock();
  final LeaderStart start;
  final LeaderPorts ports;
  final Lease lease = new Lease(time, SETTINGS.lease(), time.monotonicNanos());

  OneLeader() {
    InMemoryStore store = new InMemoryStore(time::monotonicNanos);
    Leadership leadership =
        store
            .takeOver(
                new Candidate("a", "a:1", true, SETTINGS.lease(), SETTINGS.missedRenewal()), false)
            .orElseThrow()
            .leadership();
    this.ports =
        new LeaderPorts(
            store,
            store,
            List.of(),
            time,
            LoopMetrics.NONE,
            _ -> {},
            Failpoint.Handler.NONE,
            OneLeader::asked);
    this.start = new LeaderStart(leadership, SETTINGS, 0, 0, Takeover.silent(ports));
  }

  /// A document in these tests is one word, the command.
  static VaultRules.Asked asked(Document document) {
    String command = new String(document.bytes(), StandardCharsets.UTF_8);
    return new VaultRules.Asked(Optional.empty(), List.of(command), List.of(), Set.of());
  }

  LeaderState state() {
    return state(List.of());
  }

  /// The state of a leader that follows others.
  ///
  /// @param spokeBefore machines that reported to earlier leaders
  LeaderState state(List<NodeId> spokeBefore) {
    List<NodeContact> contacts =
        spokeBefore.stream()
            .map(node -> new NodeContact(node, "boot", "session", "test", false, time.instant()))
            .toList();
    LoadedState nothing =
        new LoadedState(
            List.of(),
            List.of(),
            List.of(),
            contacts,
            List.of(),
            List.of(),
            List.of(),
            LoadedState.UsageTold.NOTHING,
            List.of(),
            List.of(),
            Map.of(),
            0,
            0,
            0);
    return LeaderState.load(start.leadership(), SETTINGS, nothing, catalog(), 0);
  }

  private static Supply.Machine machine(NodeId id) {
    PoolId pool = new PoolId(TENANT, "pool");
    return new Supply.Machine(new Node(id, pool, List.of(), 0, 0, NodeStatus.READY), false);
  }

  /// The catalog view by which submissions are checked.
  private static CatalogView withoutVaults() {
    Catalogs catalogs = new Catalogs(Duration.ZERO);
    catalog().forEach(update -> catalogs.apply(update, Instant.EPOCH));
    return catalogs.view();
  }

  /// The state from the catalog and from stored rows.
  LeaderState stateAfter(LoadedState loaded, CatalogUpdate access) {
    return LeaderState.load(
        start.leadership(), SETTINGS, loaded, List.of(catalog().getFirst(), access), 0);
  }

  static List<CatalogUpdate> catalog() {
    Batch.CatalogChange kept =
        new Batch.CatalogChange(WatchPosition.START, true, List.of(), List.of());
    PoolId pool = new PoolId(TENANT, "pool");
    return List.of(
        new CatalogUpdate.OfSupply(
            kept,
            List.of(
                new Supply(
                    TENANT,
                    1,
                    List.of(new Supply.OfferedPool(Pool.of(pool), Optional.empty())),
                    List.of(Profile.of(PROFILE, GpuQuantity.ZERO, List.of(pool))))),
            List.of(),
            MACHINES.stream().map(OneLeader::machine).toList(),
            List.of()),
        vaults());
  }

  /// The queue exists, and its jobs may run the commands that each of these vaults allows.
  static CatalogUpdate vaults(String... commands) {
    return access(
        List.of(new Queue(QUEUE, POLICY, PROFILE, 1, true, true)),
        Stream.of(commands)
            .map(command ->
                new VaultRules.Vault(
                    command,
                    Set.of(),
                    Optional.empty(),
                    false,
                    false,
                    Optional.of(List.of(CommandPattern.parse(command))),
                    Map.of(),
                    List.of()))
            .toList());
  }

  /// The queue exists, and the tenant and its policy have these budgets.
  static CatalogUpdate budgets(Budget... budgets) {
    return access(
        List.of(new Queue(QUEUE, POLICY, PROFILE, 1, true, true)), List.of(), List.of(budgets));
  }

  static CatalogUpdate access(List<Queue> queues, List<VaultRules.Vault> vaults) {
    return access(queues, vaults, List.of());
  }

  private static CatalogUpdate access(
      List<Queue> queues, List<VaultRules.Vault> vaults, List<Budget> budgets) {
    return new CatalogUpdate.OfAccess(
        new Batch.CatalogChange(WatchPosition.START, true, List.of(), List.of()),
        List.of(
            new Access(
                TENANT,
                1,
                List.of(new Access.Group("all", Set.of("users/alice"), Set.of())),
                List.of(),
                List.of(
                    new Access.Rights(
                        Policy.of(POLICY, GpuQuantity.ZERO, GpuQuantity.ONE),
                        "all",
                        Optional.empty(),
                        Grace.NONE)),
                queues,
                VaultRules.byGroup(vaults, List.of("all")),
                Optional.empty(),
                Access.Roles.UNKNOWN,
                List.of(),
                budgets)),
        List.of());
  }

  /// A job that waits and is in no database.
  static JobRecord waiting(int number) {
    JobSpec spec =
        new JobSpec(
            new JobId(number), QUEUE, new UserId("alice"), 0, Optional.empty(), Optional.empty());
    JobMetadata metadata =
        new JobMetadata(
            new JobName(TENANT, "j-" + number),
            POLICY.name(),
            PROFILE.name(),
            GpuQuantity.ZERO,
            1,
            "users/alice",
            false,
            List.of(),
            "",
            Instant.EPOCH);
    return new JobRecord(
        metadata,
        Job.submitted(spec, JobState.WAITING, number, Instant.EPOCH, 0),
        JobRecord.Course.NONE,
        Optional.empty(),
        Optional.empty(),
        false,
        0);
  }

  /// An agent's report on the job's first attempt; ENDED means lost there.
  static AgentReport report(String job, AgentReport.State state) {
    return new AgentReport(
        new JobName(TENANT, job),
        "",
        1,
        0,
        state,
        Optional.of(WorkerFacts.EndReason.LOST).filter(_ -> state == AgentReport.State.ENDED),
        Optional.empty(),
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty());
  }

  static Command.Submit submit(String name, Optional<Submission.RequestKey> request) {
    return submit(name, "run", request);
  }

  static Command.Submit submit(String name, String command) {
    return submit(name, command, Optional.empty());
  }

  private static Command.Submit submit(
      String name, String command, Optional<Submission.RequestKey> request) {
    return new Command.Submit(
        new Submission(
            List.of(
                new Submission.NewJob(
                    new JobName(TENANT, name),
                    QUEUE,
                    new UserId("alice"),
                    "users/alice",
                    false,
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    Duration.ZERO,
                    Optional.empty(),
                    false,
                    List.of(),
                    "",
                    Optional.empty(),
                    List.of(),
                    false,
                    Document.of(command.getBytes(StandardCharsets.UTF_8)))),
            request,
            List.of(),
            withoutVaults()),
        new CompletableFuture<>());
  }
}
