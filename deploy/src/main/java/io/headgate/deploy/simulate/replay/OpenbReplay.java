package io.headgate.deploy.simulate.replay;

import io.headgate.deploy.simulate.openb.Machine;
import io.headgate.deploy.simulate.openb.Pod;
import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The openb trace over time: one tenant, one policy, and a profile with a queue for each size and
/// service class. Better classes and, within a class, larger sizes have the better execution
/// priority (O2). The class is the job's priority as well (P9).
public final class OpenbReplay {
  /// Options of the replay.
  ///
  /// @param from tasks created before this time are left out
  /// @param gpus number of GPUs, on nodes of the trace, those of the commonest kinds first
  /// @param checkpoint how often jobs save their work; zero: never
  /// @param holdAfter when a blocked job begins to hold resources (O7)
  /// @param preemptWithin whether better classes preempt worse ones
  public record Options(
      Duration from,
      int gpus,
      Duration checkpoint,
      Duration holdAfter,
      PreemptWithin preemptWithin) {}

  private record Size(
      TimedPod.Service service,
      long cpuMillis,
      long memoryMib,
      int gpus,
      int gpuMilli,
      List<String> models) {
    static Size of(TimedPod timed) {
      Pod pod = timed.pod();
      return new Size(
          timed.service(),
          pod.cpuMillis(),
          pod.memoryMib(),
          pod.gpus(),
          pod.gpuMilli(),
          pod.models());
    }

    int priority() {
      return service.priority();
    }

    long totalGpuMilli() {
      return (long) gpus * gpuMilli;
    }
  }

  private record Kind(int gpus, String model, long cpuMillis, long memoryMib) {
    static Kind of(Machine machine) {
      return new Kind(machine.gpus(), machine.model(), machine.cpuMillis(), machine.memoryMib());
    }
  }

  private static final TenantId TENANT = new TenantId("openb");
  private static final PoolId POOL = new PoolId(TENANT, "cluster");
  private static final PolicyId POLICY = new PolicyId(TENANT, "everybody");
  private static final UserId USER = new UserId("trace");
  private static final long UNITS_PER_MILLI = GpuQuantity.UNITS_PER_GPU / 1000;
  private static final long MIB = 1L << 20;

  private static final Comparator<Map.Entry<Size, Profile>> FIRST =
      Comparator.comparing(
              Map.Entry<Size, Profile>::getKey,
              Comparator.comparingInt(Size::priority)
                  .thenComparingLong(Size::totalGpuMilli)
                  .thenComparingLong(Size::cpuMillis)
                  .reversed())
          .thenComparing(entry -> entry.getValue().id());

  private OpenbReplay() {}

  /// The workload of the trace.
  ///
  /// @throws TraceException when the nodes have fewer GPUs than asked for, or no task comes so late
  public static Workload workload(List<Machine> machines, List<TimedPod> pods, Options options)
      throws TraceException {
    List<TimedPod> played = new ArrayList<>();
    for (TimedPod pod : pods) {
      if (pod.created().compareTo(options.from()) >= 0) {
        played.add(pod);
      }
    }
    if (played.isEmpty()) {
      throw new TraceException(
          "no task was created on day " + options.from().toDays() + " or later");
    }
    played.sort(Comparator.comparing(TimedPod::created));
    Map<Size, Profile> profiles = new LinkedHashMap<>();
    List<Scenario.Event> events = new ArrayList<>();
    Map<String, String> groups = new HashMap<>();
    for (TimedPod pod : played) {
      Profile profile =
          profiles.computeIfAbsent(
              Size.of(pod), size -> profile(profiles.size(), size, options.holdAfter()));
      groups.put(pod.pod().name(), pod.service().name());
      events.add(
          new Scenario.Event(
              pod.created().minus(options.from()),
              new Scenario.Action.Submit(plan(pod, profile, options.checkpoint()), 1)));
    }
    Scenario scenario =
        new Scenario(
            catalog(profiles, options),
            nodes(machines, options.gpus()),
            List.of(),
            List.of(),
            events,
            Replay.options());
    return new Workload(scenario, groups, pods.size() - played.size());
  }

  private static Scenario.JobPlan plan(TimedPod pod, Profile profile, Duration checkpoint) {
    return new Scenario.JobPlan(
        pod.pod().name(),
        queue(profile),
        USER,
        pod.service().priority(),
        Optional.empty(),
        false,
        Optional.empty(),
        Optional.of(pod.runs()),
        Replay.checkpoint(checkpoint));
  }

  private static Catalog catalog(Map<Size, Profile> profiles, Options options) {
    // Held GPUs count towards the limit. A smaller limit would stop all jobs while one job holds
    // GPUs.
    GpuQuantity limit = GpuQuantity.ofGpus(GpuQuantity.MAX_GPUS);
    Policy policy =
        Policy.of(POLICY, GpuQuantity.ZERO, limit)
            .with()
            .preemptWithin(options.preemptWithin())
            .build();
    List<ProfileId> order =
        profiles.entrySet().stream().sorted(FIRST).map(entry -> entry.getValue().id()).toList();
    return new Catalog(
        TENANT,
        1,
        List.of(Pool.of(POOL).with().order(order).build()),
        List.copyOf(profiles.values()),
        List.of(policy),
        profiles.values().stream()
            .map(profile -> new Queue(queue(profile), POLICY, profile.id(), 1, true, true))
            .toList());
  }

  private static Profile profile(int number, Size size, Duration holdAfter) {
    return Profile.of(
            new ProfileId(TENANT, "p" + number),
            new GpuQuantity(UNITS_PER_MILLI * size.totalGpuMilli()),
            List.of(POOL))
        .with()
        .cpuMillis(size.cpuMillis())
        .memoryBytes(size.memoryMib() * MIB)
        .gpuModels(Set.copyOf(size.models()))
        .holdAfter(holdAfter)
        .build();
  }

  private static QueueId queue(Profile profile) {
    return new QueueId(TENANT, profile.id().name());
  }

  private static List<Node> nodes(List<Machine> machines, int gpus) throws TraceException {
    Map<Kind, Long> ofKind = new HashMap<>();
    for (Machine machine : machines) {
      ofKind.merge(Kind.of(machine), (long) machine.gpus(), Long::sum);
    }
    List<Machine> order = new ArrayList<>(machines);
    order.sort(
        Comparator.comparingLong((Machine machine) -> ofKind.getOrDefault(Kind.of(machine), 0L))
            .reversed()
            .thenComparing(Machine::name));
    List<Node> nodes = new ArrayList<>();
    int missing = gpus;
    for (Machine machine : order) {
      if (machine.gpus() > 0 && machine.gpus() <= missing) {
        nodes.add(machine.node(new NodeId(TENANT, machine.name()), POOL));
        missing -= machine.gpus();
      }
    }
    if (missing > 0) {
      throw new TraceException(
          "no nodes found with %d GPUs together; %d of them are".formatted(gpus, gpus - missing));
    }
    return nodes;
  }
}
