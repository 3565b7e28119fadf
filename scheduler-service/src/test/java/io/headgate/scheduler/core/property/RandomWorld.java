package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;

/// Makes up a tenant, its machines, and what happens to them. Everything follows from the seed.
final class RandomWorld {
  private static final TenantId TENANT = new TenantId("t");
  private static final long GIB = 1L << 30;
  private static final String[] SIZES = {
    "0", "1/7", "1/4", "1/3", "1/2", "1/2", "1", "1", "1", "2", "2", "3", "4"
  };

  private final RandomGenerator random;
  private final long seed;
  private final int pools;
  private final int profiles;
  private final int policies;
  private final int nodes;
  private long nextJob = 1;
  private long nextInstance;
  private long version;
  private Catalog catalog;
  private final DepartmentWorld departments;
  private boolean gated = true;

  /// @param seed also decides which devices are divided in hardware, and whether some fall sick
  RandomWorld(RandomGenerator random, long seed) {
    this.random = random;
    this.seed = seed;
    pools = 1 + random.nextInt(3);
    profiles = 1 + random.nextInt(4);
    policies = 1 + random.nextInt(4);
    nodes = 1 + random.nextInt(4);
    departments = new DepartmentWorld(seed);
    catalog = makeCatalog();
  }

  /// This world, where jobs wait for nothing but their turn.
  RandomWorld withoutGates() {
    gated = false;
    return this;
  }

  Catalog catalog() {
    return catalog;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T pick(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  private GpuQuantity gpus(int most) {
    return GpuQuantity.parse(random.nextInt(2 * most + 1) + "/2");
  }

  private Catalog makeCatalog() {
    List<Profile> madeProfiles = new ArrayList<>();
    for (int i = 0; i < profiles; i++) {
      madeProfiles.add(makeProfile("f" + i));
    }
    List<Pool> madePools = new ArrayList<>();
    for (int i = 0; i < pools; i++) {
      madePools.add(makePool("p" + i, madeProfiles));
    }
    List<Policy> madePolicies = new ArrayList<>();
    for (int i = 0; i < policies; i++) {
      madePolicies.add(makePolicy("g" + i));
    }
    List<Queue> queues = new ArrayList<>();
    for (Policy policy : madePolicies) {
      for (Profile profile : madeProfiles) {
        if (chance(75)) {
          queues.add(
              new Queue(
                  new QueueId(TENANT, policy.id().name() + "-" + profile.id().name()),
                  policy.id(),
                  profile.id(),
                  1 + random.nextInt(3),
                  chance(85),
                  chance(97)));
        }
      }
    }
    return departments.divide(
        new Catalog(TENANT, ++version, madePools, madeProfiles, madePolicies, queues));
  }

  private Profile makeProfile(String name) {
    List<PoolId> route = new ArrayList<>();
    for (int i = 0; i < pools; i++) {
      if (chance(70)) {
        route.add(random.nextInt(route.size() + 1), new PoolId(TENANT, "p" + i));
      }
    }
    GpuQuantity size = GpuQuantity.parse(SIZES[random.nextInt(SIZES.length)]);
    return new Profile(
        new ProfileId(TENANT, name),
        size,
        chance(20) ? 2 + random.nextInt(2) : 1,
        chance(40) ? 1000L * random.nextInt(5) : 0,
        mainMemory(name),
        size.isFraction() && chance(20) ? OptionalLong.of(30 * GIB) : OptionalLong.empty(),
        chance(10) ? Isolation.DRIVER_CONTAINER : Isolation.NONE,
        chance(15) ? Set.of(chance(50) ? "A" : "B") : Set.of(),
        isOfImages(name, 3),
        route,
        chance(60) ? Duration.ofMinutes(random.nextInt(8)) : Duration.ofDays(365),
        Duration.ofMinutes(random.nextInt(5)),
        fairly(
            name, chance(20) ? Reclaim.STRICT : chance(30) ? Reclaim.RANK : Reclaim.RESERVATION));
  }

  /// In every fourth scenario some profiles reclaim fairly. Not drawn, so that a seed stays what it
  /// was.
  private Reclaim fairly(String name, Reclaim drawn) {
    long dice = Math.floorMod((seed * 37 + name.hashCode()) * 0x9E3779B97F4A7C15L >>> 32, 3);
    return seed % 4 == 1 && dice > 0 ? Reclaim.FAIR : drawn;
  }

  /// In every fifth scenario some profiles want nodes that run jobs with an image, and some nodes
  /// run none. Not drawn, so that a seed stays what it was.
  private boolean isOfImages(String name, int oneIn) {
    long dice = (seed * 31 + name.hashCode()) * 0x9E3779B97F4A7C15L >>> 33;
    return seed % 5 == 2 && dice % oneIn == 0;
  }

  /// Every fourth profile asks for main memory; nodes have 64 GiB. Not drawn, so that a seed stays
  /// the scenario that it was but for the memory.
  private long mainMemory(String name) {
    long dice = Math.floorMod((seed * 31 + name.hashCode()) * 0x9E3779B97F4A7C15L >>> 32, 12);
    return dice < 3 ? (dice + 1) * 12 * GIB : 0;
  }

  private Pool makePool(String name, List<Profile> known) {
    List<ProfileId> order = new ArrayList<>();
    for (Profile profile : known) {
      if (chance(50)) {
        order.add(random.nextInt(order.size() + 1), profile.id());
      }
    }
    Optional<String> model = chance(20) ? Optional.of("A") : Optional.empty();
    return Pool.of(new PoolId(TENANT, name))
        .with()
        .gpuModel(model)
        .capacity(chance(20) ? Optional.of(gpus(10)) : Optional.empty())
        .order(order)
        .dedicatedTo(chance(8) ? Optional.of(new PolicyId(TENANT, "g0")) : Optional.empty())
        .elasticity(chance(25) ? Optional.of(makeElasticity(model)) : Optional.empty())
        // Not drawn, so that a seed stays what it was.
        .consolidate(seed % 2 == 0)
        .halfLife(halfLife(name))
        .promoteAfter(promoteAfter(name))
        .build();
  }

  /// In every third scenario past use counts in most pools. Not drawn, so that a seed stays what it
  /// was.
  private Optional<Duration> halfLife(String pool) {
    long dice = Math.floorMod((seed * 41 + pool.hashCode()) * 0x9E3779B97F4A7C15L >>> 32, 12);
    return seed % 3 == 2 && dice > 2 ? Optional.of(Duration.ofMinutes(dice)) : Optional.empty();
  }

  /// In every fifth scenario most pools promote jobs after up to eight minutes. Not drawn, so that
  /// a seed stays what it was.
  private Optional<Duration> promoteAfter(String pool) {
    long dice = Math.floorMod((seed * 43 + pool.hashCode()) * 0x9E3779B97F4A7C15L >>> 32, 12);
    return seed % 5 == 1 && dice > 3
        ? Optional.of(Duration.ofMinutes(12 - dice))
        : Optional.empty();
  }

  private Elasticity makeElasticity(Optional<String> model) {
    int least = chance(20) ? 1 : 0;
    return new Elasticity(
        new Instance(
            random.nextInt(9),
            model.orElse(chance(80) ? "A" : "B"),
            80 * GIB,
            chance(70) ? Isolation.DRIVER_CONTAINER : Isolation.NONE,
            chance(70) ? 64_000 : 8000,
            64 * GIB),
        least,
        least + random.nextInt(3),
        Duration.ofMinutes(random.nextInt(10)));
  }

  private Policy makePolicy(String name) {
    GpuQuantity reservation = gpus(8);
    return Policy.of(new PolicyId(TENANT, name), reservation, reservation.plus(gpus(8)))
        .with()
        .weight(1 + random.nextInt(3))
        .perUserLimit(chance(20) ? Optional.of(gpus(6)) : Optional.empty())
        .exceedLimit(chance(20) ? Set.of(new UserId("v")) : Set.of())
        .onPreempt(chance(80) ? PreemptionOutcome.REQUEUE : PreemptionOutcome.CANCEL)
        .minRuntime(chance(20) ? Duration.ofMinutes(10) : Duration.ZERO)
        .preemptible(chance(90))
        .preemptAfter(preemptAfter(name))
        .preemptWithin(chance(25) ? PreemptWithin.LOWER_PRIORITY : PreemptWithin.NEVER)
        .group(Optional.of(family(name)))
        .build();
  }

  /// In every seventh scenario the jobs of some policies wait for up to five minutes before they
  /// preempt. Not drawn, so that a seed stays what it was.
  private Duration preemptAfter(String policy) {
    long dice = Math.floorMod((seed * 31 + policy.hashCode()) * 0x9E3779B97F4A7C15L >>> 32, 6);
    return seed % 7 == 3 ? Duration.ofMinutes(dice) : Duration.ZERO;
  }

  private Node makeNode(int number) {
    List<Device> devices = new ArrayList<>();
    int count = random.nextInt(9);
    String model = chance(80) ? "A" : "B";
    Isolation isolation = chance(70) ? Isolation.DRIVER_CONTAINER : Isolation.NONE;
    for (int i = 0; i < count; i++) {
      Device device =
          new Device(
              i, "n" + number + "-" + i, model, 80 * GIB, new Geometry.Continuous(), isolation);
      devices.add(Slices.divided(device, seed, number));
    }
    return new Node(
        new NodeId(TENANT, "n" + number),
        new PoolId(TENANT, "p" + number % pools),
        devices,
        chance(70) ? 64_000 : 8000,
        64 * GIB,
        NodeStatus.READY,
        !isOfImages("n" + number, 4));
  }

  List<Input> beginning() {
    List<Input> inputs = new ArrayList<>();
    inputs.add(new Input.CatalogChanged(catalog));
    for (int i = 0; i < nodes; i++) {
      inputs.add(new Input.NodeChanged(makeNode(i)));
    }
    return inputs;
  }

  /// The next inputs.
  List<Input> next(Shadow shadow, Instant now) {
    List<Input> inputs = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      happen(shadow, now, inputs);
    }
    for (Pool pool : catalog.pools()) {
      if (pool.elasticity().isPresent() && chance(40)) {
        provide(shadow, pool, inputs);
      }
    }
    return inputs;
  }

  /// The provider brings an instance that was asked for, or takes one away that was given back.
  private void provide(Shadow shadow, Pool pool, List<Input> inputs) {
    int joined = 0;
    for (Node node : shadow.nodes.values()) {
      if (node.pool().equals(pool.id())) {
        if (shadow.released.contains(node.id())) {
          inputs.add(new Input.NodeRemoved(node.id()));
        } else {
          joined++;
        }
      }
    }
    if (joined < shadow.asked.getOrDefault(pool.id(), 0)) {
      inputs.add(
          new Input.NodeChanged(
              Space.instance(pool, pool.elasticity().orElseThrow(), "e" + nextInstance++)));
    }
  }

  private void happen(Shadow shadow, Instant now, List<Input> inputs) {
    List<Attempt> attempts = List.copyOf(shadow.attempts.values());
    List<Job> jobs = List.copyOf(shadow.jobs.values());
    int dice = random.nextInt(100);
    if (dice < 40 && !catalog.queues().isEmpty()) {
      submit(shadow, now, inputs);
    } else if (dice < 62 && !attempts.isEmpty()) {
      for (Attempt attempt : attempts) {
        confirm(attempt, now, inputs);
      }
    } else if (dice < 76 && !attempts.isEmpty()) {
      Attempt attempt = pick(attempts);
      for (int worker = 0; worker < attempt.workers().size(); worker++) {
        if (chance(90)) {
          inputs.add(new Input.WorkerExited(attempt.id(), worker, chance(80) ? 0 : 1));
        }
      }
    } else if (dice < 79 && !attempts.isEmpty()) {
      inputs.add(new Input.AttemptCheckpointed(pick(attempts).id(), now));
    } else if (dice < 83 && !attempts.isEmpty()) {
      disturb(pick(attempts), inputs);
    } else if (dice < 88 && !jobs.isEmpty()) {
      inputs.add(new Input.JobCancelled(pick(jobs)));
    } else if (dice < 89 && !jobs.isEmpty()) {
      Job job = pick(jobs);
      inputs.add(
          hasGates() && job.id().value() % 2 == 0
              ? new Input.JobUpdated(job.spec().with().priority(1 - job.spec().priority()).build())
              : new Input.JobWithdrawn(job.id()));
    } else if (dice < 91 && !jobs.isEmpty()) {
      inputs.add(new Input.JobRequeued(shadow.withoutEnded(pick(jobs))));
    } else if (dice < 96) {
      changeNode(shadow, inputs);
    } else if (dice < 99) {
      changeCatalog(inputs);
    } else {
      inputs.add(new Input.TimePassed());
    }
  }

  /// Whether jobs wait for each other, for a time, and are changed. Not drawn, so that a seed stays
  /// what it was.
  private boolean hasGates() {
    return gated && seed % 5 == 2;
  }

  /// The last two jobs, if they have not ended, and a time.
  private Gate gate(Shadow shadow, Instant now) {
    if (!hasGates() || nextJob % 3 != 0) {
      return Gate.OPEN;
    }
    List<Dependency> after = new ArrayList<>();
    for (long on = Math.max(1, nextJob - 4); on < nextJob; on += 2) {
      Job known = shadow.jobs.get(new JobId(on));
      if (known != null && !known.state().isTerminal()) {
        after.add(new Dependency(known.id(), "j" + on, Condition.values()[(int) (on % 3)]));
      }
    }
    return new Gate(
        nextJob % 2 == 0
            ? Optional.of(now.plus(Duration.ofMinutes(nextJob % 7)))
            : Optional.empty(),
        after);
  }

  private void submit(Shadow shadow, Instant now, List<Input> inputs) {
    QueueId queue = pick(catalog.queues()).id();
    UserId user = new UserId(chance(60) ? "u" : "v");
    int count = 1 + random.nextInt(4);
    int priority = chance(70) ? 0 : random.nextInt(3) - 1;
    Optional<Duration> maxRuntime =
        chance(50) ? Optional.of(Duration.ofMinutes(1 + random.nextInt(30))) : Optional.empty();
    for (int i = 0; i < count; i++) {
      Optional<Boolean> preemptible = chance(85) ? Optional.empty() : Optional.of(chance(50));
      Gate gate = gate(shadow, now);
      inputs.add(
          new Input.JobSubmitted(
              new JobSpec(
                  new JobId(nextJob++),
                  queue,
                  user,
                  priority,
                  preemptible,
                  maxRuntime,
                  stopTime(nextJob),
                  Optional.empty(),
                  nextJob % 3 == 0),
              gate));
    }
  }

  /// In every third scenario jobs take up to three minutes to stop. Not drawn, so that a seed stays
  /// what it was.
  private Duration stopTime(long job) {
    return seed % 3 == 1 ? Duration.ofMinutes(job % 4) : Duration.ZERO;
  }

  private void confirm(Attempt attempt, Instant now, List<Input> inputs) {
    for (int worker = 0; worker < attempt.workers().size(); worker++) {
      if (attempt.stop().isPresent() && chance(60)) {
        inputs.add(new Input.WorkerStopped(attempt.id(), worker));
      } else if (attempt.workers().get(worker) == WorkerStatus.ASSIGNED && chance(80)) {
        inputs.add(new Input.WorkerStarted(attempt.id(), worker, now));
      }
    }
  }

  private void disturb(Attempt attempt, List<Input> inputs) {
    int worker = random.nextInt(attempt.workers().size());
    inputs.add(
        switch (random.nextInt(3)) {
          case 0 -> new Input.WorkerLost(attempt.id(), worker);
          case 1 -> new Input.WorkerStopped(attempt.id(), worker);
          default ->
              attempt.startedAt().isPresent()
                  ? new Input.TimePassed()
                  : new Input.WorkerRejected(attempt.id(), worker, "no");
        });
  }

  private void changeNode(Shadow shadow, List<Input> inputs) {
    List<Node> known = List.copyOf(shadow.nodes.values());
    if (known.isEmpty() || chance(15)) {
      inputs.add(new Input.NodeChanged(makeNode(random.nextInt(nodes + 1))));
    } else if (chance(15)) {
      inputs.add(new Input.NodeRemoved(pick(known).id()));
    } else if (seed % 8 == 5 && chance(20)) {
      inputs.add(new Input.NodeCleared(pick(known).id()));
    } else {
      NodeStatus status =
          chance(60) ? NodeStatus.READY : chance(50) ? NodeStatus.DRAINING : NodeStatus.SUSPECT;
      inputs.add(new Input.NodeChanged(withHealth(pick(known)).withStatus(status)));
    }
  }

  /// In every eighth scenario a device falls sick, or all of the node are well again.
  private Node withHealth(Node node) {
    if (seed % 8 != 3 || node.devices().isEmpty()) {
      return node;
    }
    return chance(60) ? node.without(Set.of(pick(node.devices()).uuid())) : Space.inService(node);
  }

  /// The part of a policy's name that a renaming keeps; also the name of its group.
  static String family(String policy) {
    return policy.split("-", 2)[0];
  }

  /// In every sixth scenario each change renames a policy, and every other change its queues too,
  /// whose jobs must count on. Not drawn, so that a seed stays what it was.
  private Catalog withRenamedPolicy(Catalog before) {
    PolicyId old = before.policies().get((int) (version % before.policies().size())).id();
    PolicyId renamed = new PolicyId(TENANT, family(old.name()) + "-" + version);
    List<Policy> renamedPolicies = new ArrayList<>();
    for (Policy policy : before.policies()) {
      renamedPolicies.add(policy.id().equals(old) ? policy.with().id(renamed).build() : policy);
    }
    List<Queue> queues = new ArrayList<>();
    for (Queue queue : before.queues()) {
      boolean isOfOld = queue.policy().equals(old);
      queues.add(
          new Queue(
              isOfOld && version % 2 == 0
                  ? new QueueId(TENANT, renamed.name() + "-" + queue.profile().name())
                  : queue.id(),
              isOfOld ? renamed : queue.policy(),
              queue.profile(),
              queue.rank(),
              queue.overReservation(),
              queue.open()));
    }
    List<Pool> renamedPools = new ArrayList<>();
    for (Pool pool : before.pools()) {
      renamedPools.add(
          pool.with()
              .dedicatedTo(pool.dedicatedTo().map(to -> to.equals(old) ? renamed : to))
              .build());
    }
    return new Catalog(
        TENANT,
        version,
        renamedPools,
        before.profiles(),
        renamedPolicies,
        queues,
        before.shares(),
        before.departments());
  }

  private void changeCatalog(List<Input> inputs) {
    if (chance(15)) {
      catalog = makeCatalog();
    } else {
      List<Policy> changed = new ArrayList<>();
      for (Policy policy : catalog.policies()) {
        changed.add(chance(50) ? policy : makePolicy(policy.id().name()));
      }
      List<Pool> changedPools = new ArrayList<>();
      for (Pool pool : catalog.pools()) {
        changedPools.add(
            chance(80)
                ? pool
                : pool.with()
                    .capacity(chance(50) ? Optional.of(gpus(6)) : Optional.empty())
                    .elasticity(pool.elasticity().map(known -> makeElasticity(pool.gpuModel())))
                    .build());
      }
      catalog =
          new Catalog(
              TENANT,
              ++version,
              changedPools,
              catalog.profiles(),
              changed,
              catalog.queues(),
              catalog.shares(),
              catalog.departments());
      if (seed % 6 == 4) {
        catalog = withRenamedPolicy(catalog);
      }
      catalog = departments.divide(catalog);
    }
    inputs.add(new Input.CatalogChanged(catalog));
  }
}
