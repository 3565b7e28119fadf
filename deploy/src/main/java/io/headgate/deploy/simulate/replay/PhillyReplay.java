package io.headgate.deploy.simulate.replay;

import io.headgate.deploy.simulate.trace.TraceException;
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
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.type.GpuQuantity;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// The Philly trace over time. The larger virtual clusters are policies whose reservations share
/// out all GPUs in proportion to their demand; each limit is all GPUs. Each size is a profile, and
/// larger sizes have the better execution priority (O2). A job larger than a node is a gang.
public final class PhillyReplay {
  /// Options of the replay.
  ///
  /// @param gpus number of GPUs, on nodes of 8, with the remainder on one more node
  /// @param tenants number of virtual clusters, those with most jobs; jobs of the others are left
  ///   out
  /// @param checkpoint how often jobs save their work; zero: never
  /// @param holdAfter when a blocked job begins to hold resources (O7)
  public record Options(int gpus, int tenants, Duration checkpoint, Duration holdAfter) {}

  private static final int GPUS_PER_NODE = 8;
  private static final TenantId TENANT = new TenantId("philly");
  private static final PoolId POOL = new PoolId(TENANT, "cluster");

  private PhillyReplay() {}

  /// The workload of the trace.
  ///
  /// @throws TraceException when there are no jobs
  public static Workload workload(List<PhillyJob> trace, Options options) throws TraceException {
    if (trace.isEmpty()) {
      throw new TraceException("no jobs");
    }
    Map<String, Integer> reservations = reservations(trace, options);
    List<PhillyJob> played = new ArrayList<>();
    for (PhillyJob job : trace) {
      if (reservations.containsKey(job.cluster())) {
        played.add(job);
      }
    }
    played.sort(Comparator.comparing(PhillyJob::submitted));
    LocalDateTime begin = played.getFirst().submitted();
    List<Scenario.Event> events = new ArrayList<>();
    Map<String, String> groups = new HashMap<>();
    TreeSet<Integer> sizes = new TreeSet<>();
    for (PhillyJob job : played) {
      Scenario.JobPlan plan =
          plan("job-%06d".formatted(events.size() + 1), job, options.checkpoint());
      sizes.add(job.gpus());
      groups.put(plan.name(), job.cluster());
      events.add(
          new Scenario.Event(
              Duration.between(begin, job.submitted()), new Scenario.Action.Submit(plan, 1)));
    }
    Scenario scenario =
        new Scenario(
            catalog(reservations, sizes, options),
            nodes(options.gpus()),
            List.of(),
            List.of(),
            events,
            Replay.options());
    return new Workload(scenario, groups, trace.size() - played.size());
  }

  /// Whole GPUs in proportion to the GPU time asked for, by name. GPUs left by rounding down go to
  /// the clusters that lost most by it.
  private static Map<String, Integer> reservations(List<PhillyJob> trace, Options options) {
    Map<String, Integer> counts = new TreeMap<>();
    Map<String, BigInteger> demand = new TreeMap<>();
    for (PhillyJob job : trace) {
      counts.merge(job.cluster(), 1, Integer::sum);
      BigInteger gpuMillis =
          BigInteger.valueOf(job.runs().toMillis()).multiply(BigInteger.valueOf(job.gpus()));
      demand.merge(job.cluster(), gpuMillis, BigInteger::add);
    }
    List<String> names = new ArrayList<>(counts.keySet());
    names.sort(Comparator.comparing((String name) -> counts.getOrDefault(name, 0)).reversed());
    List<String> larger = names.subList(0, Math.min(names.size(), options.tenants()));
    BigInteger total = BigInteger.ZERO;
    for (String name : larger) {
      total = total.add(demand.getOrDefault(name, BigInteger.ZERO));
    }
    // Without any job time there is no demand; then nothing is reserved.
    BigInteger divisor = total.max(BigInteger.ONE);
    Map<String, Integer> reservations = new LinkedHashMap<>();
    Map<String, BigInteger> rests = new HashMap<>();
    int left = options.gpus();
    for (String name : larger) {
      BigInteger[] share =
          demand
              .getOrDefault(name, BigInteger.ZERO)
              .multiply(BigInteger.valueOf(options.gpus()))
              .divideAndRemainder(divisor);
      reservations.put(name, share[0].intValueExact());
      rests.put(name, share[1]);
      left -= share[0].intValueExact();
    }
    List<String> byRest = new ArrayList<>(larger);
    byRest.sort(
        Comparator.comparing((String name) -> rests.getOrDefault(name, BigInteger.ZERO))
            .reversed());
    for (int i = 0; i < Math.min(left, byRest.size()); i++) {
      if (total.signum() > 0) {
        reservations.merge(byRest.get(i), 1, Integer::sum);
      }
    }
    return reservations;
  }

  private static Scenario.JobPlan plan(String name, PhillyJob job, Duration checkpoint) {
    return new Scenario.JobPlan(
        name,
        queue(job.cluster(), job.gpus()),
        new UserId(job.cluster()),
        0,
        Optional.empty(),
        false,
        Optional.empty(),
        Optional.of(job.runs()),
        Replay.checkpoint(checkpoint));
  }

  private static Catalog catalog(
      Map<String, Integer> reservations, NavigableSet<Integer> sizes, Options options) {
    List<Profile> profiles = new ArrayList<>();
    for (int size : sizes.descendingSet()) {
      int workers = workers(size);
      profiles.add(
          Profile.of(profile(size), GpuQuantity.ofGpus(size / workers), List.of(POOL))
              .with()
              .workers(workers)
              .holdAfter(options.holdAfter())
              .build());
    }
    List<Policy> policies = new ArrayList<>();
    List<Queue> queues = new ArrayList<>();
    reservations.forEach((name, reservation) -> {
      PolicyId id = new PolicyId(TENANT, name);
      policies.add(
          Policy.of(id, GpuQuantity.ofGpus(reservation), GpuQuantity.ofGpus(options.gpus()))
              .with()
              .weight(Math.clamp(reservation, 1, Policy.MAX_WEIGHT))
              .build());
      for (int size : sizes) {
        queues.add(new Queue(queue(name, size), id, profile(size), 1, true, true));
      }
    });
    List<ProfileId> order = profiles.stream().map(Profile::id).toList();
    Pool pool = Pool.of(POOL).with().order(order).build();
    return new Catalog(TENANT, 1, List.of(pool), profiles, policies, queues);
  }

  /// The fewest equal workers that each fit a node: 12 GPUs become 2 × 6.
  static int workers(int gpus) {
    int workers = (gpus + GPUS_PER_NODE - 1) / GPUS_PER_NODE;
    while (gpus % workers != 0) {
      workers++;
    }
    return workers;
  }

  private static ProfileId profile(int gpus) {
    return new ProfileId(TENANT, "gpus-" + gpus);
  }

  private static QueueId queue(String cluster, int gpus) {
    return new QueueId(TENANT, cluster + "-" + gpus);
  }

  private static List<Node> nodes(int gpus) {
    List<Node> nodes = new ArrayList<>();
    for (int left = gpus; left > 0; left -= GPUS_PER_NODE) {
      String name = "node-%05d".formatted(nodes.size());
      List<Device> devices = new ArrayList<>();
      for (int index = 0; index < Math.min(left, GPUS_PER_NODE); index++) {
        devices.add(
            new Device(
                index, name + "-" + index, "GPU", 0, new Geometry.Continuous(), Isolation.NONE));
      }
      nodes.add(new Node(new NodeId(TENANT, name), POOL, devices, 0, 0, NodeStatus.READY));
    }
    return nodes;
  }
}
