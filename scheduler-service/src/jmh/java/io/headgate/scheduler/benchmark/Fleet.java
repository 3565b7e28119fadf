package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
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
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/// A core with nodes of 8 GPUs in four pools and 1,000 queues (100 policies times 10 profiles), and
/// the shell's part of driving it. The same for the same seed.
final class Fleet {
  /// How reservations are spread over the policies.
  enum Rights {
    /// All policies have equal reservations, together all GPUs.
    EQUAL,
    /// The first half has no reservation and fills the fleet, the second half's are all GPUs
    /// together, unused.
    GUESTS_AND_OWNERS
  }

  private static final TenantId TENANT = new TenantId("bench");
  private static final long GIB = 1L << 30;
  private static final int POOLS = 4;
  private static final int POLICIES = 100;
  private static final int USERS = 500;

  /// GPUs of the profiles: fractions, whole GPUs, whole nodes and, last, a gang.
  static final List<String> SIZES =
      List.of("1/7", "1/4", "1/2", "1", "1", "2", "4", "8", "1/2", "1");

  /// The workers of the gang profile.
  static final int GANG_WORKERS = 4;

  private static final int GANG = 9;

  /// The profile that each pool prefers: 1/7 GPU, 1 GPU, 4 GPUs, the gang.
  private static final List<Integer> FIRST = List.of(0, 3, 6, GANG);

  private final SchedulerCore core;
  private final Rights rights;
  private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
  private final List<Queue> queues = new ArrayList<>();
  private final List<UserId> users = new ArrayList<>();
  private final RunningAttempts running = new RunningAttempts();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private long nextId = 1;
  private int target;

  /// Reports that attempts run, which agents have not sent yet; null: they send none.
  private @Nullable List<Input> reports;

  private final Stopwatch deciding = new Stopwatch();

  Fleet(int nodes) {
    this(nodes, Rights.EQUAL, SchedulerCore.DEFAULT_PLACEMENT);
  }

  Fleet(int nodes, Rights rights, PlacementPolicy placement) {
    this.core = SchedulerCore.empty(placement);
    this.rights = rights;
    for (int i = 0; i < USERS; i++) {
      users.add(new UserId("user-" + i));
    }
    List<Input> inputs = new ArrayList<>();
    inputs.add(new Input.CatalogChanged(catalog(8L * nodes)));
    for (int i = 0; i < nodes; i++) {
      inputs.add(new Input.NodeChanged(node(i)));
    }
    core.decide(inputs, now);
  }

  private Catalog catalog(long gpus) {
    List<Pool> pools = new ArrayList<>();
    for (int i = 0; i < POOLS; i++) {
      // Each pool prefers other sizes, so that a long backlog leaves a mix of them running.
      List<ProfileId> order = new ArrayList<>();
      for (int j = 0; j < SIZES.size(); j++) {
        order.add(profile((FIRST.get(i) + j) % SIZES.size()));
      }
      pools.add(Pool.of(pool(i)).with().order(order).build());
    }
    List<Profile> profiles = new ArrayList<>();
    for (int i = 0; i < SIZES.size(); i++) {
      List<PoolId> route = new ArrayList<>();
      for (int j = 0; j < POOLS; j++) {
        route.add(pool((i + j) % POOLS));
      }
      profiles.add(
          Profile.of(profile(i), GpuQuantity.parse(SIZES.get(i)), route)
              .with()
              .workers(i == GANG ? GANG_WORKERS : 1)
              .cpuMillis(1000L * (1 + i % 3))
              .build());
    }
    List<Policy> policies = new ArrayList<>();
    for (int i = 0; i < POLICIES; i++) {
      PolicyId id = new PolicyId(TENANT, "policy-" + i);
      policies.add(Policy.of(id, reservation(i, gpus), GpuQuantity.ofGpus(gpus)));
      for (int j = 0; j < SIZES.size(); j++) {
        QueueId queue = new QueueId(TENANT, "policy-" + i + "-" + j);
        queues.add(new Queue(queue, id, profile(j), 1 + random.nextInt(5), true, true));
      }
    }
    return new Catalog(TENANT, 1, pools, profiles, policies, queues);
  }

  private GpuQuantity reservation(int policy, long gpus) {
    return switch (rights) {
      case EQUAL -> GpuQuantity.ofGpus(gpus / POLICIES);
      case GUESTS_AND_OWNERS ->
          policy < POLICIES / 2 ? GpuQuantity.ZERO : GpuQuantity.ofGpus(2 * gpus / POLICIES);
    };
  }

  private static PoolId pool(int number) {
    return new PoolId(TENANT, "pool-" + number);
  }

  private static ProfileId profile(int number) {
    return new ProfileId(TENANT, "profile-" + number);
  }

  private static Node node(int number) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      devices.add(
          new Device(
              i,
              "gpu-" + number + "-" + i,
              "H100",
              80 * GIB,
              new Geometry.Continuous(),
              Isolation.DRIVER_CONTAINER));
    }
    return new Node(
        new NodeId(TENANT, "node-%06d".formatted(number)),
        pool(number % POOLS),
        devices,
        128_000,
        1024 * GIB,
        NodeStatus.READY);
  }

  /// Submits `count` jobs to queues at random, to those of the guests if there are guests.
  List<Input> submissions(int count) {
    int open = rights == Rights.EQUAL ? queues.size() : queues.size() / 2;
    List<Input> inputs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      inputs.add(submission(queues.get(random.nextInt(open)).id()));
    }
    return inputs;
  }

  /// A job of an owner that asks for whole GPUs.
  Input claim() {
    Queue queue = queues.get(queues.size() / 2 + random.nextInt(queues.size() / 2));
    while (queue.profile().equals(profile(0))
        || queue.profile().equals(profile(1))
        || queue.profile().equals(profile(2))
        || queue.profile().equals(profile(8))) {
      queue = queues.get(queues.size() / 2 + random.nextInt(queues.size() / 2));
    }
    return submission(queue.id());
  }

  private Input submission(QueueId queue) {
    UserId user = users.get(random.nextInt(USERS));
    return new Input.JobSubmitted(
        new JobSpec(new JobId(nextId++), queue, user, 0, Optional.empty(), Optional.empty()));
  }

  /// Ends `count` running jobs at random.
  List<Input> ends(int count) {
    List<Input> inputs = new ArrayList<>(count);
    for (int i = 0; i < count && !running.isEmpty(); i++) {
      inputs.addAll(running.end(running.any(random)));
    }
    return inputs;
  }

  /// Ends this many running jobs at random and submits a new job to the queue of each.
  ///
  /// The mix thus stays as it is. Where fewer jobs wait than after [#fill], up to `count` more are
  /// submitted.
  List<Input> churn(int count) {
    List<Input> ends = new ArrayList<>(count);
    List<Input> submissions = new ArrayList<>(count);
    if (reports != null) {
      ends.addAll(reports);
      reports.clear();
    }
    for (int i = 0; i < count && !running.isEmpty(); i++) {
      AttemptId attempt = running.any(random);
      core.job(attempt.job()).ifPresent(job -> submissions.add(submission(job.spec().queue())));
      ends.addAll(running.end(attempt));
    }
    ends.addAll(submissions);
    ends.addAll(submissions(Math.clamp(target - waiting(), 0, count)));
    return ends;
  }

  /// The end of the job that was submitted last, if it runs.
  List<Input> endOfLast() {
    return core.attempt(new JobId(nextId - 1))
        .filter(attempt -> running.contains(attempt.id()))
        .map(attempt -> running.end(attempt.id()))
        .orElse(List.of());
  }

  /// Lets the core decide, and agents do at once what it asks for.
  ///
  /// @return how many jobs were started or asked to stop
  int decide(List<? extends Input> inputs) {
    now = now.plusSeconds(1);
    return inputs.isEmpty() ? 0 : follow(decideOnce(inputs));
  }

  /// Lets the core decide, once.
  Decision decideOnce(List<? extends Input> inputs) {
    return deciding.time(() -> core.decide(inputs, now));
  }

  /// Does what agents would, until they have nothing more to do.
  ///
  /// @return how many jobs were started or asked to stop
  int follow(Decision first) {
    int decisions = 0;
    Decision decision = first;
    while (true) {
      List<Input> next = new ArrayList<>();
      for (Effect effect : decision.effects()) {
        switch (effect) {
          case Effect.StartAttempt(var attempt) -> {
            running.add(attempt);
            report(attempt);
            decisions++;
          }
          case Effect.StopAttempt(var id, var _) -> {
            decisions++;
            next.addAll(running.stop(id));
          }
          default -> {}
        }
      }
      if (next.isEmpty()) {
        return decisions;
      }
      decision = decideOnce(next);
    }
  }

  /// From now on agents report that attempts run, so the core learns the run times of the queues
  /// (O7).
  void reportStarts() {
    reports = new ArrayList<>();
  }

  private void report(Attempt attempt) {
    for (int worker = 0; reports != null && worker < attempt.workers().size(); worker++) {
      reports.add(new Input.WorkerStarted(attempt.id(), worker, now));
    }
  }

  /// The time that the core has spent on decisions so far.
  Stopwatch deciding() {
    return deciding;
  }

  /// Lets the core decide, once, and times it.
  Decision decideOnce(List<? extends Input> inputs, Stopwatch watch) {
    return watch.time(() -> core.decide(inputs, now));
  }

  /// How many jobs wait.
  int waiting() {
    int waiting = 0;
    for (PolicyUsage usage : core.policies()) {
      waiting += usage.waiting();
    }
    return waiting;
  }

  /// Which part of the GPUs is used, 0 to 1.
  double load() {
    return core.pools().stream().mapToLong(pool -> pool.used().units()).sum()
        / (double) core.pools().stream().mapToLong(pool -> pool.capacity().units()).sum();
  }

  /// Submits `waiting` jobs, and refills the queues as jobs start, until nearly `waiting` jobs
  /// wait.
  void fill(int waiting) {
    target = waiting;
    for (int missing = waiting; missing > waiting / 100; missing = waiting - waiting()) {
      decide(submissions(missing));
    }
  }
}
