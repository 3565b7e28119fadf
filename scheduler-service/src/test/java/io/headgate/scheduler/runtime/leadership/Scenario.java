package io.headgate.scheduler.runtime.leadership;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.kit.position.WatchPosition;
import io.headgate.proto.scheduler.v1.AbortCallback;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Isolation;
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
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.grpc.JobVaults;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.desk.WaitingBounds;
import io.headgate.scheduler.runtime.loop.InputQueue;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.runtime.trace.Sampling;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A made-up installation and its fate: some replicas and machines, jobs of some clients, and
/// faults for a few minutes; then peace, in which everything has to end.
final class Scenario {
  private static final TenantId TENANT = new TenantId("acme");
  private static final PoolId POOL = new PoolId(TENANT, "pool");
  private static final long MEMORY = 80L << 30;
  private static final String SUBMITTER = "users/alice";
  private static final long PEACE = 3600 * World.SECOND;
  private static final long OUTAGE = 1800 * World.SECOND;

  /// By then a leader exists and has received all reports.
  private static final long PEACEFUL = 90 * World.SECOND;

  private static final LoopSettings SETTINGS =
      new LoopSettings(
          SchedulerCore.DEFAULT_PLACEMENT,
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          Duration.ofSeconds(15),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          10_000,
          10_000,
          100,
          WaitingBounds.ofEach(1_000),
          Duration.ofSeconds(30),
          Sampling.ALL);

  /// The common parts from which replicas and agents are made.
  record Parts(
      LoopSettings settings,
      CatalogUpdate.OfSupply supply,
      SimulatedVaults vaults,
      SimulatedGroup group,
      List<Node> nodes) {
    List<DeviceInfo> devices(NodeId id) {
      return nodes.stream()
          .filter(node -> node.id().equals(id))
          .flatMap(node -> node.devices().stream())
          .map(device ->
              new DeviceInfo(
                  device.index(),
                  device.uuid(),
                  device.model(),
                  device.memoryBytes(),
                  DeviceInfo.Geometry.CONTINUOUS,
                  IsolationLevel.NONE))
          .toList();
    }
  }

  private final World world;
  private final Network network;
  private final Auditor auditor;
  private final SimulatedDatabase database;
  private final Map<String, SimulatedReplica> replicas = new LinkedHashMap<>();
  private final List<SimulatedAgent> agents = new ArrayList<>();
  private final World.Life users = new World.Life("users");
  private final Set<JobName> accepted = new LinkedHashSet<>();
  private final Faults faults;
  private final SimulatedVaults vaults;
  private final List<Queue> queues = new ArrayList<>();
  private final long faultsEnd;
  private final boolean isCalm;

  /// All schedulers are away for long, and nothing else is wrong: jobs are long too.
  private final boolean isOutage;

  /// Jobs of whole GPUs take each other's, and most of them want to be kept meanwhile.
  private final boolean isCrowded;

  private final boolean vaultsMove;
  private int unanswered;
  private @Nullable TraceAudit traces;

  Scenario(World world) {
    this(world, false);
  }

  static Scenario ofOutage(World world) {
    return new Scenario(world, true);
  }

  private Scenario(World world, boolean isOutage) {
    this.world = world;
    this.isOutage = isOutage;
    this.network = new Network(world);
    int gpus = 2;
    List<Node> nodes = new ArrayList<>();
    this.isCrowded = world.chance(0.1) && !isOutage;
    int machines = isCrowded ? 2 : 3 + world.random().nextInt(2);
    for (int i = 0; i < machines; i++) {
      nodes.add(node("n" + i, gpus));
    }
    Map<String, Duration> stopAfter = new LinkedHashMap<>();
    List<Policy> policies = policies((long) machines * gpus, stopAfter);
    List<Profile> profiles =
        List.of(profile("whole", "1", 1), profile("half", "1/2", 1), profile("gang", "1", 2));
    for (Policy policy : policies) {
      for (Profile profile : isCrowded ? profiles.subList(0, 1) : profiles) {
        queues.add(queue(policy, profile));
      }
    }
    this.vaults = new SimulatedVaults(access(policies, stopAfter));
    this.auditor = new Auditor(policies, vaults, world, SETTINGS.reconcileWithin());
    this.database = new SimulatedDatabase(world, network, auditor);
    auditor.watch(database.store());
    Batch.CatalogChange kept =
        new Batch.CatalogChange(WatchPosition.START, true, List.of(), List.of());
    Parts parts =
        new Parts(
            SETTINGS,
            new CatalogUpdate.OfSupply(
                kept,
                List.of(
                    new Supply(
                        TENANT,
                        1,
                        List.of(new Supply.OfferedPool(Pool.of(POOL), Optional.empty())),
                        profiles)),
                List.of(),
                nodes.stream().map(node -> new Supply.Machine(node, true)).toList(),
                List.of()),
            vaults,
            new SimulatedGroup(world),
            nodes);
    int schedulers = 1 + world.random().nextInt(3);
    for (int i = 0; i < schedulers; i++) {
      String name = "r" + i;
      replicas.put(name, new SimulatedReplica(world, database, auditor, name, parts));
    }
    for (Node node : nodes) {
      SimulatedMachine machine = new SimulatedMachine(world, auditor, node.id().name());
      agents.add(new SimulatedAgent(world, network, auditor, node.id(), machine, parts, replicas));
    }
    // Few faults that last, or many.
    this.isCalm = world.chance(0.3);
    this.faultsEnd =
        isCalm
            ? world.between(200 * World.SECOND, 400 * World.SECOND)
            : world.between(60 * World.SECOND, 240 * World.SECOND);
    this.vaultsMove = world.chance(0.2);
    this.faults =
        new Faults(world, network, database, List.copyOf(replicas.values()), agents, faultsEnd);
  }

  /// Draws two policies, and for each the time after which its jobs stop without contact.
  private List<Policy> policies(long total, Map<String, Duration> stopAfter) {
    List<Policy> policies = new ArrayList<>();
    for (String name : List.of("dev", "rnd")) {
      long reservation =
          isCrowded ? name.equals("dev") ? 0 : total : 2 + world.random().nextLong(total / 2 - 1);
      // In an outage test no job preempts another, so each has one attempt.
      long beyond = isOutage ? 0 : world.random().nextLong(3);
      long limit = isCrowded ? total : reservation + beyond;
      policies.add(
          Policy.of(
                  new PolicyId(TENANT, name),
                  GpuQuantity.parse("" + reservation),
                  GpuQuantity.parse("" + limit))
              .with()
              .preemptible(isCrowded || world.chance(0.9))
              .build());
      stopAfter.put(name, stopAfter());
    }
    return policies;
  }

  private static Queue queue(Policy policy, Profile profile) {
    return new Queue(
        new QueueId(TENANT, policy.id().name() + "-" + profile.id().name()),
        policy.id(),
        profile.id(),
        1,
        true,
        true);
  }

  private Access access(List<Policy> policies, Map<String, Duration> stopAfter) {
    return new Access(
        TENANT,
        1,
        policies.stream()
            .map(policy -> new Access.Group(policy.id().name(), Set.of(SUBMITTER), Set.of()))
            .toList(),
        policies.stream()
            .map(policy ->
                new Access.Rights(
                    policy,
                    policy.id().name(),
                    Optional.of(stopAfter.get(policy.id().name())),
                    Grace.NONE))
            .toList(),
        queues,
        Map.of(),
        Access.Roles.UNKNOWN);
  }

  private Duration stopAfter() {
    return isOutage ? Duration.ofMinutes(40) : Duration.ofSeconds(world.chance(0.5) ? 40 : 90);
  }

  private static Node node(String name, int gpus) {
    NodeId id = new NodeId(TENANT, name);
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(
          new Device(
              i, name + "-gpu" + i, "H100", MEMORY, new Geometry.Continuous(), Isolation.NONE));
    }
    return new Node(id, POOL, devices, 64_000, 1L << 40, NodeStatus.READY);
  }

  private static Profile profile(String name, String gpus, int workers) {
    return Profile.of(new ProfileId(TENANT, name), GpuQuantity.parse(gpus), List.of(POOL))
        .with()
        .workers(workers)
        .build();
  }

  /// Disables the fence: the row of leadership then accepts a deposed leader.
  Scenario withoutFence() {
    database.store().takeAnyEpoch();
    return this;
  }

  Auditor auditor() {
    return auditor;
  }

  /// The traces of a scenario that was played to its end.
  TraceAudit traces() {
    return Objects.requireNonNull(traces, "not at rest");
  }

  /// Lets everything happen that happens.
  void play() {
    replicas.values().forEach(SimulatedReplica::start);
    agents.forEach(SimulatedAgent::start);
    int jobs = (isCrowded ? 12 : 4) + world.random().nextInt(16);
    for (int i = 1; i <= jobs; i++) {
      JobName name = new JobName(TENANT, "j" + i);
      unanswered++;
      later(world.between(0, faultsEnd), () -> submit(name, job(name)));
    }
    faults.begin(isCalm);
    if (vaultsMove) {
      moveVaults();
      requeueDrafts();
    }
    run(faultsEnd);
    faults.end();
    world.note(() -> "peace");
    awaitEnd();
  }

  /// The fate of the attempts that ran when all schedulers died.
  record Outage(int endedMeanwhile, int wentOn) {}

  /// All schedulers are away for half an hour, and then the machines come back over a minute.
  Outage playOutage() {
    replicas.values().forEach(SimulatedReplica::start);
    agents.forEach(SimulatedAgent::start);
    for (int i = 1; i <= 10; i++) {
      JobName name = new JobName(TENANT, "j" + i);
      unanswered++;
      later(world.between(0, 30 * World.SECOND), () -> submit(name, job(name)));
    }
    run(60 * World.SECOND);
    replicas.values().forEach(SimulatedReplica::crash);
    int ran = running();
    run(world.now() + OUTAGE);
    int wentOn = running();
    for (int i = 0; i < agents.size(); i++) {
      String machine = agents.get(i).node().name();
      long until = world.now() + (i + 1) * 60 * World.SECOND / agents.size();
      replicas.keySet().forEach(replica -> network.block(replica, machine, until));
    }
    replicas.values().forEach(SimulatedReplica::start);
    awaitEnd();
    for (AttemptRecord attempt : database.store().everyAttempt()) {
      if (attempt.id().number() > 1) {
        throw new AssertionError(attempt.id() + " ran although nothing was lost");
      }
    }
    return new Outage(ran - wentOn, wentOn);
  }

  private int running() {
    return agents.stream().mapToInt(agent -> agent.machine().running()).sum();
  }

  private void awaitEnd() {
    long patience = world.now() + PEACE + (isOutage ? 4 * PEACE : 0);
    while (world.now() < patience) {
      run(world.now() + 10 * World.SECOND);
      if (world.now() >= faultsEnd + PEACEFUL) {
        auditor.nothingForbiddenWaits();
      }
      if (unanswered == 0 && auditor.unfinished(accepted).isEmpty() && isDelivered()) {
        auditor.atRest();
        traces = new TraceAudit(database.store());
        traces.atRest(world.random());
        return;
      }
    }
    throw new AssertionError(
        "not everything ended within an hour of peace:%s, %d submissions unanswered"
            .formatted(auditor.unfinished(accepted), unanswered));
  }

  private boolean isDelivered() {
    return agents.stream()
        .filter(agent -> agent.running().isPresent())
        .allMatch(agent -> agent.machine().outbox().size() == 0);
  }

  private void run(long until) {
    while (world.step(until)) {
      // Each event is held against what must hold where it changes something.
    }
  }

  private void later(long nanos, Runnable action) {
    world.later(users, nanos, action);
  }

  private void moveVaults() {
    later(
        world.between(World.SECOND, 60 * World.SECOND),
        () -> {
          if (world.now() < faultsEnd) {
            String group = world.chance(0.5) ? "dev" : "rnd";
            List<String> commands = world.any(List.of(List.of(), List.of("run"), List.of("try")));
            world.note(() -> "jobs of " + group + " may run " + commands);
            vaults.move(group, commands);
            moveVaults();
          }
        });
  }

  /// As their owners do when they hear that they may run.
  private void requeueDrafts() {
    later(
        world.between(World.SECOND, 20 * World.SECOND),
        () -> {
          leader()
              .ifPresent(leader ->
                  database.store().everyJob().stream()
                      .filter(job -> job.state() == JobState.DRAFT)
                      .filter(job -> mayRun(leader, job.job().spec().queue(), document(job)))
                      .forEach(job ->
                          leader.offer(
                              new Command.Requeue(
                                  job,
                                  "alice",
                                  leader.catalog(),
                                  Optional.empty(),
                                  List.of(),
                                  new CompletableFuture<>()))));
          requeueDrafts();
        });
  }

  private Document document(JobRecord job) {
    return database.store().documents(List.of(job.id())).get(job.id());
  }

  /// The check of vaults that the endpoint makes before it offers a job.
  private static boolean mayRun(Leader leader, QueueId queue, Document document) {
    VaultRules rules = leader.catalog().vaults(queue).orElseThrow();
    return rules.isEmpty() || rules.violation(JobVaults.asked(document)).isEmpty();
  }

  private Optional<Leader> leader() {
    return replicas.values().stream()
        .filter(SimulatedReplica::isUp)
        .flatMap(replica -> replica.leader().stream())
        .findFirst();
  }

  private Submission.NewJob job(JobName name) {
    long millis =
        isOutage
            ? world.between(60_000, 2_400_000)
            : world.chance(isCalm ? 0.3 : 0.5)
                ? world.between(100, 5_000)
                : world.between(5_000, world.chance(isCalm ? 0.7 : 0.3) ? 300_000 : 60_000);
    JobSpec.Builder spec =
        JobSpec.newBuilder()
            .addCommand(vaultsMove && world.chance(0.5) ? "try" : "run")
            .addCommand("" + millis)
            .addCommand(world.chance(0.9) ? "0" : "3");
    if (world.chance(0.4)) {
      spec.setAbortCallback(
          AbortCallback.newBuilder()
              .addCommand("save")
              .setTimeout(
                  com.google.protobuf.Duration.newBuilder()
                      .setSeconds(world.between(1, world.chance(0.3) ? 55 : 20))));
    }
    spec.setTerminationGrace(
        com.google.protobuf.Duration.newBuilder().setSeconds(world.between(1, 10)));
    return new Submission.NewJob(
        name,
        world.any(queues).id(),
        new UserId("alice"),
        SUBMITTER,
        false,
        world.random().nextInt(3),
        Optional.empty(),
        world.chance(0.15)
            ? Optional.of(Duration.ofSeconds(world.between(1, 60)))
            : Optional.empty(),
        world.chance(0.5) ? Duration.ZERO : Duration.ofSeconds(world.between(1, 20)),
        isCrowded && world.chance(0.9)
            ? Optional.of(Duration.ofSeconds(world.between(5, 120)))
            : Optional.empty(),
        false,
        List.of(),
        "",
        Optional.empty(),
        List.of(),
        false,
        Document.of(spec.build().toByteArray()));
  }

  /// As a client does: asks what became of it, and otherwise sends it again, until it is answered.
  private void submit(JobName name, Submission.NewJob job) {
    if (database.store().request(SUBMITTER, name.id()).isPresent()) {
      accept(name);
      return;
    }
    Optional<Leader> leader = leader();
    if (vaultsMove && leader.isPresent() && !mayRun(leader.get(), job.queue(), job.document())) {
      if (world.now() < faultsEnd) {
        later(world.between(World.SECOND, 20 * World.SECOND), () -> submit(name, job));
      } else {
        unanswered--;
      }
      return;
    }
    CompletableFuture<Command.SubmitReply> reply = new CompletableFuture<>();
    InputQueue.Offer offer =
        leader
            .map(each ->
                each.offer(
                    new Command.Submit(
                        new Submission(
                            List.of(job),
                            Optional.of(new Submission.RequestKey(SUBMITTER, name.id(), "")),
                            List.of(),
                            each.catalog()),
                        reply)))
            .orElse(InputQueue.Offer.CLOSED);
    if (offer != InputQueue.Offer.TAKEN) {
      later(world.between(100 * World.MILLI, World.SECOND), () -> submit(name, job));
      return;
    }
    boolean[] isOver = {false};
    var _ =
        reply.whenComplete((answer, failure) -> {
          if (isOver[0]) {
            return;
          }
          isOver[0] = true;
          if (failure != null) {
            later(World.SECOND, () -> submit(name, job));
          } else if (answer instanceof Command.SubmitReply.Accepted) {
            accept(name);
            mayCancel(name);
          } else {
            throw new IllegalStateException("refused: " + answer);
          }
        });
    later(
        25 * World.SECOND,
        () -> {
          if (!isOver[0]) {
            isOver[0] = true;
            submit(name, job);
          }
        });
  }

  private void accept(JobName name) {
    if (accepted.add(name)) {
      unanswered--;
      world.note(() -> name.id() + " is accepted");
      auditor.accepted(List.of(name));
    }
  }

  private void mayCancel(JobName name) {
    if (world.chance(0.15)) {
      later(world.between(0, 60 * World.SECOND), () -> cancel(name, world.chance(0.3)));
    }
  }

  private void cancel(JobName name, boolean skipCallback) {
    JobRecord known = database.store().job(name).orElseThrow();
    leader()
        .ifPresent(leader -> {
          world.note(() -> name.id() + " is to be cancelled");
          leader.offer(
              new Command.Cancel(
                  known, skipCallback, new Cancellation("alice", ""), new CompletableFuture<>()));
        });
  }
}
