package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;
import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.UsageMeter;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.ledger.DownInterval;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.HeldStep;
import io.headgate.scheduler.core.ledger.LastingPart;
import io.headgate.scheduler.core.ledger.LastingPart.Begin;
import io.headgate.scheduler.core.ledger.PoolBalance;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.ReservationStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.property.Scenarios.Step;
import io.headgate.scheduler.core.usage.PoolUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// The usage ledger, over made-up histories: it is compared with sums that are counted from the
/// decisions alone. Seeds as in [Scenarios].
class UsageLedgerTest {
  private static final int SCENARIOS = 2_000;

  private final AtomicLong intervals = new AtomicLong();
  private final AtomicLong held = new AtomicLong();
  private final AtomicLong down = new AtomicLong();
  private final AtomicLong shortages = new AtomicLong();
  private final AtomicLong aboveLimit = new AtomicLong();
  private final AtomicLong splits = new AtomicLong();

  @Test
  void isExactThroughEveryHistoryAndEveryTakeover() {
    Scenarios.follow(UsageLedgerTest.class, SCENARIOS, input -> input, Recount::new);
    if (Long.getLong("headgate.scenarios") == null && Long.getLong("headgate.seed") == null) {
      // The histories do have all of it.
      assertThat(List.of(intervals, held, down, shortages, aboveLimit, splits))
          .allSatisfy(count -> assertThat(count.get()).isGreaterThan(SCENARIOS / 100));
    }
  }

  /// Counts anew, by policy and right, by pool and by attempt, in unit-milliseconds.
  private final class Recount implements Scenarios.Follower {
    private final Random random;
    private Optional<UsageMeter> meter = Optional.empty();
    private Optional<UsageMeter> twin = Optional.empty();
    private final Map<AttemptId, Instant> since = new HashMap<>();
    private final Map<PoolId, PoolStep> pools = new TreeMap<>();
    private final Map<PoolId, PoolStep> twinPools = new TreeMap<>();
    private final Map<PolicyId, ShortageStep> lacking = new LinkedHashMap<>();
    private final Map<PolicyId, ReservationStep> reserved = new LinkedHashMap<>();
    private final Map<JobId, HeldStep> heldNow = new LinkedHashMap<>();
    private final Map<NodeId, DownStep> downNow = new LinkedHashMap<>();
    private final List<UsageInterval> told = new ArrayList<>();
    private final List<DownInterval> downTold = new ArrayList<>();
    private final Map<PolicyId, Split> byPolicy = new TreeMap<>();
    private final Map<AttemptId, Long> byAttempt = new HashMap<>();
    private final Map<PoolId, PoolBalance> byPool = new TreeMap<>();
    private Map<PolicyId, Split> policiesBefore = Map.of();
    private Map<AttemptId, Long> attemptsBefore = Map.of();
    private Map<PoolId, PoolBalance> poolsBefore = Map.of();
    private Instant before = Instant.MIN;

    Recount(long seed) {
      random = new Random(seed);
    }

    @Override
    public void decided(Step step, Decision decision, SchedulerCore core, Shadow shadow) {
      pass(step.at());
      Entries entries;
      if (meter.isEmpty()) {
        meter = Optional.of(new UsageMeter(core, _ -> Optional.empty(), UsageMeter.Told.NOTHING));
        twin = Optional.of(new UsageMeter(core, _ -> Optional.empty(), UsageMeter.Told.NOTHING));
        Decision nothing =
            new Decision(List.of(), List.of(), Optional.empty(), decision.holdChanges());
        entries = meter.get().follow(List.of(), nothing, step.at());
        twin.get()
            .follow(List.of(), nothing, step.at())
            .pools()
            .forEach(each -> twinPools.put(each.pool(), each));
      } else {
        entries = meter.get().follow(step.inputs(), decision, step.at());
        Entries same = twin.orElseThrow().follow(step.inputs(), decision, step.at());
        requireSame(entries, same);
      }
      take(entries);
      present(shadow);
      check(core, shadow);
      compare(step.at());
      if (random.nextInt(4) == 0) {
        meter = Optional.of(new UsageMeter(core, _ -> Optional.empty(), told()));
      }
    }

    /// The unusable part is looked at once a second, and anew by a new leader.
    private void requireSame(Entries entries, Entries same) {
      require(
          entries.intervals().equals(same.intervals())
              && entries.begun().equals(same.begun())
              && entries.held().equals(same.held())
              && entries.downIntervals().equals(same.downIntervals())
              && entries.down().equals(same.down())
              && entries.reservations().equals(same.reservations()),
          "a take-over changes nothing",
          entries,
          same);
      same.pools().forEach(step -> twinPools.put(step.pool(), step));
      Map<PoolId, PoolStep> present = new TreeMap<>(pools);
      entries.pools().forEach(step -> present.put(step.pool(), step));
      present.forEach((pool, step) ->
          require(
              withoutUnusable(step).equals(withoutUnusable(twinPools.get(pool))),
              "a take-over changes no pool",
              step,
              twinPools.get(pool)));
    }

    private static PoolBalance withoutUnusable(PoolStep step) {
      PoolBalance all = step.balance();
      return new PoolBalance(all.capacity(), all.used(), all.held(), all.idle(), 0, all.down());
    }

    private UsageMeter.Told told() {
      return new UsageMeter.Told(
          since,
          List.copyOf(pools.values()),
          List.copyOf(lacking.values()),
          List.copyOf(reserved.values()),
          List.copyOf(heldNow.values()),
          List.copyOf(downNow.values()));
    }

    private void take(Entries entries) {
      since.putAll(entries.begun());
      entries.pools().forEach(step -> pools.put(step.pool(), step));
      entries.shortages().forEach(step -> lacking.put(step.policy(), step));
      entries.reservations().forEach(step -> reserved.put(step.policy(), step));
      entries
          .held()
          .forEach(step -> {
            heldNow.remove(step.job());
            if (step.held().isPresent()) {
              heldNow.put(step.job(), step);
            }
          });
      entries
          .down()
          .forEach(step -> {
            downNow.remove(step.node());
            if (step.down().isPresent()) {
              downNow.put(step.node(), step);
            }
          });
      told.addAll(entries.intervals());
      downTold.addAll(entries.downIntervals());
      down.addAndGet(entries.downIntervals().size());
      intervals.addAndGet(entries.intervals().size());
      shortages.addAndGet(entries.shortages().size());
      for (UsageInterval each : entries.intervals()) {
        held.addAndGet(each.holding().isHeld() ? 1 : 0);
        aboveLimit.addAndGet(each.split().aboveLimit() > 0 ? 1 : 0);
        splits.addAndGet(each.split().entitled() > 0 && each.split().overReservation() > 0 ? 1 : 0);
      }
    }

    /// Adds the time since the last decision.
    private void pass(Instant now) {
      long millis = before.equals(Instant.MIN) ? 0 : Duration.between(before, now).toMillis();
      policiesBefore.forEach(
          (policy, split) -> byPolicy.merge(policy, times(split, millis), UsageLedgerTest::sum));
      attemptsBefore.forEach(
          (attempt, units) -> byAttempt.merge(attempt, units * millis, Long::sum));
      poolsBefore.forEach(
          (pool, balance) -> byPool.merge(pool, times(balance, millis), UsageLedgerTest::sum));
      before = now;
    }

    /// The present use, from the shell's records alone.
    private void present(Shadow shadow) {
      Map<PolicyId, Long> used = new TreeMap<>();
      Map<AttemptId, Long> attempts = new HashMap<>();
      for (Attempt attempt : shadow.attempts.values()) {
        used.merge(attempt.policy(), Shadow.units(attempt), Long::sum);
        attempts.put(attempt.id(), Shadow.units(attempt));
      }
      Map<PolicyId, Split> policies = new TreeMap<>();
      used.forEach((id, units) -> {
        Optional<Policy> policy = shadow.policy(id);
        long entitled = policy.map(each -> Math.min(units, each.reservation().units())).orElse(0L);
        long above = policy.map(each -> Math.max(0, units - each.limit().units())).orElse(0L);
        policies.put(id, new Split(entitled, units - entitled - above, above));
      });
      policiesBefore = policies;
      attemptsBefore = attempts;
      Map<PoolId, PoolBalance> balances = new TreeMap<>();
      pools.forEach((id, step) -> balances.put(id, step.balance()));
      poolsBefore = balances;
    }

    private void check(SchedulerCore core, Shadow shadow) {
      shadow
          .catalog
          .policies()
          .forEach(policy ->
              require(
                  policy.limit().units() == 0
                      || reserved.get(policy.id()).reservation() == policy.reservation().units(),
                  "the reservation in force was told",
                  policy,
                  reserved.get(policy.id())));
      for (PoolUsage usage : core.pools()) {
        PoolBalance balance =
            pools.containsKey(usage.pool())
                ? pools.get(usage.pool()).balance()
                : PoolBalance.NOTHING;
        require(balance.closes(), "the parts make up the capacity", balance);
        require(
            balance.used().units() == usage.used().units(),
            "a pool's use is that of its attempts",
            balance,
            usage);
        if (shadow.nodes.values().stream().noneMatch(n -> n.status() == NodeStatus.AWAITED)) {
          require(
              balance.held() == usage.held().units(),
              "held is what is free and kept",
              balance,
              usage);
          require(balance.idle() >= usage.idle().units(), "idle is what is free", balance, usage);
        }
        if (isPlain(usage.pool(), shadow)) {
          require(
              balance.capacity() == devices(usage.pool(), shadow) * UNITS_PER_GPU,
              "the capacity is that of the devices",
              balance,
              devices(usage.pool(), shadow));
        }
      }
    }

    private static long devices(PoolId pool, Shadow shadow) {
      return shadow.nodes.values().stream()
          .filter(node -> node.pool().equals(pool))
          .flatMap(node -> node.devices().stream())
          .filter(device ->
              shadow.pool(pool).isPresent()
                  && shadow.pool(pool).get().gpuModel().map(device.model()::equals).orElse(true))
          .count();
    }

    /// Whether attempts are only where their pool still has the devices.
    private static boolean isPlain(PoolId pool, Shadow shadow) {
      for (Attempt attempt : shadow.attempts.values()) {
        for (WorkerPlace place : attempt.assignment().workers()) {
          Node node = shadow.nodes.get(place.node());
          boolean ofPool = attempt.assignment().pool().equals(pool);
          boolean there = node != null && node.pool().equals(pool);
          if (ofPool != there && !place.slices().isEmpty()) {
            return false;
          }
          if (ofPool && place.slices().stream().anyMatch(slice -> isGone(slice, node, shadow))) {
            return false;
          }
        }
      }
      return true;
    }

    private static boolean isGone(Slice slice, Node node, Shadow shadow) {
      Optional<String> model = shadow.pool(node.pool()).flatMap(pool -> pool.gpuModel());
      return shadow.pool(node.pool()).isEmpty()
          || node.devices().stream()
              .noneMatch(device ->
                  device.index() == slice.device()
                      && model.map(device.model()::equals).orElse(true));
    }

    private void compare(Instant now) {
      List<UsageInterval> open = meter.orElseThrow().open(now);
      require(Set.copyOf(open).equals(inParts(now)), "the parts are the whole", open, inParts(now));
      List<UsageInterval> all = new ArrayList<>(told);
      all.addAll(open);
      Map<PolicyId, Split> policies = new TreeMap<>();
      Map<AttemptId, Long> attempts = new HashMap<>();
      Map<PoolId, Long> heldByPool = new TreeMap<>();
      Map<PoolId, Split> usedByPool = new TreeMap<>();
      Map<AttemptId, Instant> ends = new HashMap<>();
      for (UsageInterval each : all) {
        long millis = Duration.between(each.from(), each.until()).toMillis();
        PoolId pool = each.holding().place().pool();
        require(millis <= Duration.ofDays(1).toMillis(), "no interval is longer than a day", each);
        if (each.holding().isHeld()) {
          heldByPool.merge(pool, each.held() * millis, Long::sum);
        } else {
          AttemptId id = new AttemptId(each.holding().job(), each.holding().attempt());
          Split split = times(each.split(), millis);
          policies.merge(each.holding().policy(), split, UsageLedgerTest::sum);
          usedByPool.merge(pool, split, UsageLedgerTest::sum);
          attempts.merge(id, split.units(), Long::sum);
          Instant end = ends.put(id, each.until());
          require(end == null || !each.from().isBefore(end), "no overlap", each, end);
        }
      }
      same("use by policy and right", byPolicy, policies, Split.NONE);
      same("use by attempt", byAttempt, attempts, 0L);
      Map<PoolId, Long> downByPool = downByPool(now);
      byPool.forEach((pool, balance) -> {
        require(
            balance.used().equals(usedByPool.getOrDefault(pool, Split.NONE)),
            "use by pool and right",
            balance,
            usedByPool.get(pool));
        require(
            balance.held() == heldByPool.getOrDefault(pool, 0L),
            "held by pool",
            balance,
            heldByPool.get(pool));
        require(
            balance.down() == downByPool.getOrDefault(pool, 0L), "down by pool", balance, downNow);
      });
    }

    private Set<UsageInterval> inParts(Instant now) {
      Set<UsageInterval> found = new HashSet<>();
      Optional<Begin> from = Optional.of(new Begin(Instant.EPOCH, new JobId(0), 0));
      while (from.isPresent()) {
        LastingPart part = meter.orElseThrow().open(now, from.get(), 2, _ -> true);
        found.addAll(part.intervals());
        from = part.reached();
      }
      return found;
    }

    private Map<PoolId, Long> downByPool(Instant now) {
      List<DownInterval> all = new ArrayList<>(downTold);
      meter.orElseThrow().down().forEach(step -> all.addAll(step.until(now)));
      Map<PoolId, Long> byPool = new TreeMap<>();
      Map<Object, Instant> ends = new HashMap<>();
      for (DownInterval each : all) {
        long millis = Duration.between(each.from(), each.until()).toMillis();
        byPool.merge(each.down().pool(), each.down().units() * millis, Long::sum);
        for (Slice slice : each.down().slices()) {
          Instant end = ends.put(List.of(each.node(), slice.device()), each.until());
          require(end == null || !each.from().isBefore(end), "no overlap", each, end);
        }
      }
      return byPool;
    }

    private static <K, V> void same(String what, Map<K, V> expected, Map<K, V> found, V nothing) {
      for (K key : expected.keySet()) {
        require(
            expected.get(key).equals(found.getOrDefault(key, nothing)),
            what,
            key,
            expected.get(key),
            found.get(key));
      }
      found.forEach((key, value) ->
          require(expected.containsKey(key) || value.equals(nothing), what, key, value));
    }
  }

  private static Split times(Split split, long millis) {
    return new Split(
        split.entitled() * millis, split.overReservation() * millis, split.aboveLimit() * millis);
  }

  private static PoolBalance times(PoolBalance balance, long millis) {
    return new PoolBalance(
        balance.capacity() * millis,
        times(balance.used(), millis),
        balance.held() * millis,
        balance.idle() * millis,
        balance.unusable() * millis,
        balance.down() * millis);
  }

  private static Split sum(Split a, Split b) {
    return new Split(
        a.entitled() + b.entitled(),
        a.overReservation() + b.overReservation(),
        a.aboveLimit() + b.aboveLimit());
  }

  private static PoolBalance sum(PoolBalance a, PoolBalance b) {
    return new PoolBalance(
        a.capacity() + b.capacity(),
        sum(a.used(), b.used()),
        a.held() + b.held(),
        a.idle() + b.idle(),
        a.unusable() + b.unusable(),
        a.down() + b.down());
  }
}
