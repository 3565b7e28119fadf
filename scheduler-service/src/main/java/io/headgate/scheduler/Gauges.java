package io.headgate.scheduler;

import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.UsageTotals;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.scheduler.core.usage.QueueUsage;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.type.GpuQuantity;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The leader's state at one moment, in numbers. Runs on the loop.
final class Gauges {
  private static final double NANOS = 1e9;
  private static final String MIXED = "mixed";

  private Gauges() {}

  /// One number.
  record Reading(MetricDefinition name, double value, Attributes attributes) {}

  static List<Reading> read(LeaderView leader) {
    List<Reading> readings = new ArrayList<>();
    UsageTotals totals = leader.reads().usageTotals(leader.now());
    pools(readings, leader, splits(totals));
    policies(readings, leader);
    budgets(readings, leader.catalog());
    profiles(readings, leader);
    queues(readings, leader);
    leader.reads().contacts().forEach(contact -> node(readings, contact));
    readings.addAll(UsageReadings.of(totals, leader.core().policies()));
    return readings;
  }

  /// The attributes of each queue that is provisioned, in the order of `readings`.
  static List<Attributes> queues(List<Reading> readings) {
    return readings.stream()
        .filter(reading -> reading.name().equals(MetricNames.QUEUE_OLDEST_AGE))
        .map(Reading::attributes)
        .filter(queue -> queue.get(MetricNames.PROFILE) != null)
        .toList();
  }

  /// The sums over the nodes of a pool.
  private static final class Hardware {
    private final SortedSet<String> models = new TreeSet<>();
    private long downUnits;

    /// One model for one pool; a pool of several is named as such, so that its numbers stay one
    /// series.
    String model() {
      return models.size() > 1 ? MIXED : models.isEmpty() ? "" : models.first();
    }

    Attributes of(PoolId pool) {
      Attributes id = attributes(pool);
      return model().isEmpty() ? id : id.toBuilder().put(MetricNames.MODEL, model()).build();
    }
  }

  private static Map<PoolId, Hardware> hardware(LeaderView leader) {
    Map<PoolId, Hardware> hardware = new HashMap<>();
    for (LeaderView.Contact contact : leader.reads().contacts()) {
      contact
          .passedToCore()
          .ifPresent(node -> {
            Hardware of = hardware.computeIfAbsent(node.pool(), _ -> new Hardware());
            node.devices().forEach(device -> of.models.add(device.model()));
            if (node.status() != NodeStatus.READY) {
              of.downUnits += node.devices().size() * GpuQuantity.UNITS_PER_GPU;
            }
          });
    }
    return hardware;
  }

  /// The present use of each pool, by right.
  private static Map<PoolId, Split> splits(UsageTotals totals) {
    Map<PoolId, Split> splits = new HashMap<>();
    totals.uses().forEach(use -> splits.merge(use.pool(), use.present(), Split::plus));
    return splits;
  }

  private static void pools(List<Reading> readings, LeaderView leader, Map<PoolId, Split> splits) {
    Map<PoolId, Hardware> hardware = hardware(leader);
    Map<PoolId, List<Hold>> holds = new HashMap<>();
    for (Hold hold : leader.reads().holds()) {
      holds.computeIfAbsent(hold.place().pool(), _ -> new ArrayList<>()).add(hold);
    }
    Map<PoolId, GpuQuantity> unusable = leader.core().unusable();
    for (PoolUsage pool : leader.core().pools()) {
      Hardware of = hardware.getOrDefault(pool.pool(), new Hardware());
      pool(readings, pool, of, unusable.getOrDefault(pool.pool(), GpuQuantity.ZERO));
      Split split = splits.getOrDefault(pool.pool(), Split.NONE);
      usage(
          readings, MetricNames.POOL_USED, of.of(pool.pool()), split.madeUpTo(pool.used().units()));
      List<Hold> own = holds.getOrDefault(pool.pool(), List.of());
      Attributes id = attributes(pool.pool());
      readings.add(new Reading(MetricNames.HOLD_COUNT, own.size(), id));
      readings.add(
          new Reading(
              MetricNames.HOLD_AGE,
              own.stream().map(Hold::since).min(Comparator.naturalOrder()).stream()
                  .mapToDouble(since -> age(since, leader.now()))
                  .findFirst()
                  .orElse(0),
              id));
    }
  }

  private static double age(Instant since, Instant now) {
    return Math.max(0, Duration.between(since, now).toNanos() / NANOS);
  }

  private static Attributes attributes(PoolId pool) {
    return Attributes.of(MetricNames.TENANT, pool.tenant().name(), MetricNames.POOL, pool.name());
  }

  private static void pool(
      List<Reading> readings, PoolUsage pool, Hardware hardware, GpuQuantity unusable) {
    Attributes of = hardware.of(pool.pool());
    readings.add(new Reading(MetricNames.POOL_CAPACITY, gpus(pool.capacity()), of));
    readings.add(new Reading(MetricNames.POOL_HELD, gpus(pool.held()), of));
    readings.add(new Reading(MetricNames.POOL_HELD_IDLE, gpus(pool.idleForHolds()), of));
    readings.add(new Reading(MetricNames.POOL_IDLE, gpus(pool.idle()), of));
    readings.add(new Reading(MetricNames.POOL_UNUSABLE, gpus(unusable), of));
    readings.add(new Reading(MetricNames.POOL_DOWN, gpus(hardware.downUnits), of));
  }

  private static void policies(List<Reading> readings, LeaderView leader) {
    Map<PolicyId, Long> demand = new HashMap<>();
    for (LeaderView.Total total : leader.reads().totals()) {
      demand.merge(
          new PolicyId(total.queue().tenant(), total.policy()), total.waitingUnits(), Long::sum);
    }
    for (PolicyUsage policy : leader.core().policies()) {
      policy(readings, policy, demand.getOrDefault(policy.policy(), 0L));
    }
  }

  private static void budgets(List<Reading> readings, CatalogView catalog) {
    for (TenantId tenant : catalog.tenantsWithBudgets()) {
      for (Budget budget : catalog.budgets(tenant)) {
        catalog
            .budgets()
            .use(budget)
            .ifPresent(use ->
                readings.add(
                    new Reading(
                        MetricNames.BUDGET_USE,
                        use.used().doubleValue() / budget.amount().doubleValue(),
                        Attributes.of(
                            MetricNames.TENANT,
                            tenant.name(),
                            MetricNames.BUDGET_LEVEL,
                            budget.key().level().word(),
                            MetricNames.BUDGET,
                            budget.key().name()))));
      }
    }
  }

  /// The jobs of each profile, those of configured queues without jobs included.
  private static void profiles(List<Reading> readings, LeaderView leader) {
    Map<ProfileId, ProfileSum> sums = new TreeMap<>();
    for (QueueUsage queue : leader.core().queues()) {
      leader
          .catalog()
          .queue(queue.queue())
          .ifPresent(known -> sums.putIfAbsent(known.profile(), new ProfileSum()));
    }
    for (LeaderView.Total total : leader.reads().totals()) {
      ProfileId profile = new ProfileId(total.queue().tenant(), total.profile());
      sums.computeIfAbsent(profile, _ -> new ProfileSum()).add(total);
    }
    sums.forEach((profile, sum) -> sum.read(readings, profile));
  }

  private static final class ProfileSum {
    private int waiting;
    private int running;
    private long waitingUnits;
    private long usedUnits;

    void add(LeaderView.Total total) {
      waiting += total.waiting();
      running += total.running();
      waitingUnits += total.waitingUnits();
      usedUnits += total.usedUnits();
    }

    void read(List<Reading> readings, ProfileId profile) {
      Attributes of =
          Attributes.of(
              MetricNames.TENANT, profile.tenant().name(), MetricNames.PROFILE, profile.name());
      readings.add(new Reading(MetricNames.PROFILE_JOBS, waiting, state(of, "waiting")));
      readings.add(new Reading(MetricNames.PROFILE_JOBS, running, state(of, "running")));
      readings.add(new Reading(MetricNames.PROFILE_DEMAND, gpus(waitingUnits), of));
      readings.add(new Reading(MetricNames.PROFILE_USAGE, gpus(usedUnits), of));
    }
  }

  private static Attributes state(Attributes of, String state) {
    return of.toBuilder().put(MetricNames.STATE, state).build();
  }

  private static void queues(List<Reading> readings, LeaderView leader) {
    Map<QueueId, Instant> oldest = new HashMap<>();
    for (LeaderView.Total total : leader.reads().totals()) {
      total
          .oldestWaiting()
          .ifPresent(
              at -> oldest.merge(total.queue(), at, (one, two) -> one.isBefore(two) ? one : two));
    }
    for (QueueUsage queue : leader.core().queues()) {
      Instant since = oldest.getOrDefault(queue.queue(), leader.now());
      Attributes of = attributes(leader, queue.queue());
      queue(readings, queue, of, age(since, leader.now()));
    }
  }

  private static void policy(List<Reading> readings, PolicyUsage policy, long demandUnits) {
    Attributes of =
        Attributes.of(
            MetricNames.TENANT,
            policy.policy().tenant().name(),
            MetricNames.POLICY,
            policy.policy().name());
    long used = policy.used().units();
    long entitled = policy.entitled().units();
    long within = Math.clamp(policy.limit().units(), entitled, used);
    Split split = new Split(entitled, within - entitled, used - within);
    usage(readings, MetricNames.POLICY_USAGE, of, split);
    readings.add(new Reading(MetricNames.POLICY_RESERVATION, gpus(policy.reservation()), of));
    readings.add(new Reading(MetricNames.POLICY_LIMIT, gpus(policy.limit()), of));
    readings.add(new Reading(MetricNames.POLICY_DEMAND, gpus(demandUnits), of));
  }

  private static void usage(
      List<Reading> readings, MetricDefinition name, Attributes of, Split split) {
    usage(readings, name, kind(of, "entitled"), split.entitled());
    usage(readings, name, kind(of, "over_reservation"), split.overReservation());
    usage(readings, name, kind(of, "above_limit"), split.aboveLimit());
  }

  private static void usage(
      List<Reading> readings, MetricDefinition name, Attributes of, long units) {
    readings.add(new Reading(name, gpus(units), of));
  }

  private static Attributes kind(Attributes of, String kind) {
    return of.toBuilder().put(MetricNames.USAGE_KIND, kind).build();
  }

  /// A queue that is not provisioned has neither policy nor profile.
  private static Attributes attributes(LeaderView leader, QueueId queue) {
    AttributesBuilder of =
        Attributes.builder()
            .put(MetricNames.TENANT, queue.tenant().name())
            .put(MetricNames.QUEUE, queue.name());
    leader
        .catalog()
        .queue(queue)
        .ifPresent(known ->
            of.put(MetricNames.POLICY, known.policy().name())
                .put(MetricNames.PROFILE, known.profile().name()));
    return of.build();
  }

  private static void queue(
      List<Reading> readings, QueueUsage queue, Attributes of, double oldestSeconds) {
    readings.add(new Reading(MetricNames.QUEUE_JOBS, queue.waiting(), state(of, "waiting")));
    readings.add(new Reading(MetricNames.QUEUE_JOBS, queue.running(), state(of, "running")));
    readings.add(new Reading(MetricNames.QUEUE_OLDEST_AGE, oldestSeconds, of));
    if (queue.waiting() > 0) {
      String code = queue.headReason().map(Reason::code).orElse("NONE");
      readings.add(
          new Reading(
              MetricNames.QUEUE_WAITING,
              queue.waiting(),
              of.toBuilder().put(MetricNames.REASON, code).build()));
    }
  }

  private static void node(List<Reading> readings, LeaderView.Contact contact) {
    AttributesBuilder builder =
        Attributes.builder()
            .put(MetricNames.TENANT, contact.node().tenant().name())
            .put(MetricNames.NODE, contact.node().name());
    if (!contact.agentVersion().isEmpty()) {
      builder.put(MetricNames.VERSION, contact.agentVersion());
    }
    Attributes of = builder.build();
    boolean isConnected = contact.state() == LeaderView.Contact.State.CONNECTED;
    readings.add(new Reading(MetricNames.AGENT_CONNECTED, isConnected ? 1 : 0, of));
    if (contact.heardAgoNanos() >= 0) {
      double ago = contact.heardAgoNanos() / NANOS;
      readings.add(new Reading(MetricNames.AGENT_HEARTBEAT_AGE, ago, of));
      contact
          .patience()
          .ifPresent(patience ->
              readings.add(
                  new Reading(
                      MetricNames.AGENT_LEASE_REMAINING,
                      Math.max(0, patience.toNanos() / NANOS - ago),
                      of)));
    }
  }

  private static double gpus(GpuQuantity quantity) {
    return gpus(quantity.units());
  }

  private static double gpus(long units) {
    return (double) units / GpuQuantity.UNITS_PER_GPU;
  }
}
