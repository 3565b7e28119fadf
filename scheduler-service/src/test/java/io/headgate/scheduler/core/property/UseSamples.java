package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Attempt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The over-reservation use of all levels after each decision. The average past use is summed up
/// anew from all of it (O4).
final class UseSamples {
  private static final double MILLIS = 1000.0;

  /// The use from a decision on; of levels that there are.
  private record Sample(Instant at, Map<Record, Long> over) {}

  private final List<Sample> samples = new ArrayList<>();

  /// Since when the pools have a half-life.
  private final Map<PoolId, Instant> countedSince = new HashMap<>();

  UseSamples copy() {
    UseSamples copy = new UseSamples();
    copy.samples.addAll(samples);
    copy.countedSince.putAll(countedSince);
    return copy;
  }

  /// Takes the use after a decision.
  ///
  /// @param rules as they are after it
  /// @param changedCatalog whether the decision followed from a change of the configuration
  void add(Reference rules, boolean changedCatalog) {
    Shadow shadow = rules.shadow;
    countedSince.keySet().removeIf(pool -> shadow.pool(pool).flatMap(Pool::halfLife).isEmpty());
    for (Pool pool : shadow.catalog.pools()) {
      if (pool.halfLife().isPresent()) {
        countedSince.putIfAbsent(pool.id(), rules.now);
      }
    }
    Map<Record, Long> over = new HashMap<>();
    for (Policy policy : shadow.catalog.policies()) {
      over.put(policy.id(), over(rules, policy.id()));
    }
    for (Attempt attempt : shadow.attempts.values()) {
      if (!Shadow.isSuspended(attempt)) {
        over.put(attempt.policy(), over(rules, attempt.policy()));
      }
    }
    if (!changedCatalog && !samples.isEmpty()) {
      for (Record level : samples.getLast().over().keySet()) {
        if (level instanceof PolicyId policy) {
          over.putIfAbsent(policy, over(rules, policy));
        }
      }
    }
    for (Department department : shadow.catalog.departments()) {
      long use = rules.standing(department, Set.of());
      over.put(department.id(), Math.max(0, use - rules.departments.reservation(department)));
    }
    samples.add(new Sample(rules.now, over));
  }

  private static long over(Reference rules, PolicyId policy) {
    return Math.max(0, rules.standing(policy, Set.of()) - rules.reservation(policy));
  }

  /// The average past use of a [PolicyId] or [DepartmentId], in units.
  double average(Pool pool, Record level, Instant now) {
    Instant since = countedSince.get(pool.id());
    if (pool.halfLife().isEmpty() || since == null) {
      return 0;
    }
    double sum = 0;
    Instant end = now;
    for (Sample sample : samples.reversed()) {
      Long over = sample.over().get(level);
      if (over == null || sample.at().isBefore(since)) {
        break;
      }
      sum += over * (weight(sample.at(), end, now, pool.halfLife().get()));
      end = sample.at();
    }
    return sum;
  }

  private static double weight(Instant from, Instant to, Instant now, Duration halfLife) {
    return left(to, now, halfLife) - left(from, now, halfLife);
  }

  private static double left(Instant then, Instant now, Duration halfLife) {
    double age = Duration.between(then, now).toMillis() / MILLIS;
    return Math.pow(2, -age / (halfLife.toMillis() / MILLIS));
  }
}
