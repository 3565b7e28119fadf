package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Counts GPU time since this leader began: a sum, and what it grows by per millisecond since the
/// last change. So a count costs as many steps as there are policies and pools, and never jobs.
final class UsageCounters {
  private static final double UNIT_MILLIS_PER_GPU_HOUR = 126_000.0 * 3_600_000.0;

  private final Map<PolicyId, Map<PoolId, Use>> uses = new TreeMap<>();
  private final Map<PoolId, Rest> rests = new TreeMap<>();
  private boolean hasBegun;

  private static final class Use {
    private Split sum = Split.NONE;
    private Split rate = Split.NONE;
    private long lost;
    private double cost;
    private Optional<Price> price = Optional.empty();
    private Instant at = Instant.MIN;

    void advance(Instant now) {
      Split grown = grown(now);
      cost += costOf(grown.minus(sum));
      sum = grown;
      at = now;
    }

    Split grown(Instant now) {
      return sum.plus(rate.times(millis(at, now)));
    }

    double costOf(Split time) {
      return price
          .map(each -> time.units() * each.perGpuHour().doubleValue() / UNIT_MILLIS_PER_GPU_HOUR)
          .orElse(0.0);
    }
  }

  private static final class Rest {
    private long held;
    private long idle;
    private long down;
    private PoolBalance rate = PoolBalance.NOTHING;
    private Instant at = Instant.MIN;

    void advance(Instant now) {
      long millis = millis(at, now);
      held += rate.held() * millis;
      idle += rate.idle() * millis;
      down += rate.down() * millis;
      at = now;
    }
  }

  private static long millis(Instant at, Instant now) {
    return at.equals(Instant.MIN) ? 0 : Math.max(0, Duration.between(at, now).toMillis());
  }

  /// Time passes from now on for the restored use; nothing if it passes already.
  void begin(Instant now) {
    if (!hasBegun) {
      hasBegun = true;
      uses.values().forEach(pools -> pools.values().forEach(use -> use.advance(now)));
      rests.values().forEach(rest -> rest.advance(now));
    }
  }

  private Use use(PolicyId policy, PoolId pool) {
    return uses.computeIfAbsent(policy, _ -> new TreeMap<>()).computeIfAbsent(pool, _ -> new Use());
  }

  /// The use of a policy in a pool changes.
  void count(
      PolicyId policy, PoolId pool, Split less, Split more, Optional<Price> price, Instant now) {
    Use use = use(policy, pool);
    use.advance(now);
    use.rate = use.rate.minus(less).plus(more);
    use.price = price;
  }

  void lost(PolicyId policy, PoolId pool, long amount) {
    use(policy, pool).lost += amount;
  }

  void count(PoolId pool, PoolBalance balance, Instant now) {
    Rest rest = rests.computeIfAbsent(pool, _ -> new Rest());
    rest.advance(now);
    rest.rate = balance;
  }

  UsageTotals totals(Instant now) {
    List<UsageTotals.Use> used = new ArrayList<>();
    uses.forEach((policy, pools) ->
        pools.forEach((pool, use) -> {
          Split grown = use.grown(now);
          used.add(
              new UsageTotals.Use(
                  policy,
                  pool,
                  grown,
                  use.rate,
                  use.lost,
                  use.cost + use.costOf(grown.minus(use.sum)),
                  use.price.map(Price::currency)));
        }));
    List<UsageTotals.Rest> others = new ArrayList<>();
    rests.forEach((pool, rest) -> {
      long millis = millis(rest.at, now);
      others.add(
          new UsageTotals.Rest(
              pool,
              rest.held + rest.rate.held() * millis,
              rest.idle + rest.rate.idle() * millis,
              rest.down + rest.rate.down() * millis));
    });
    return new UsageTotals(used, others);
  }
}
