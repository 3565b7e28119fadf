package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.PastUse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The average past over-reservation use of all levels in one pool, weighted by 2^(−age/halfLife)
/// (O4). Without a half-life it is 0.
///
/// Use is constant between decisions, so an average follows from the last change of the use:
///
///     average(t) = use + (average(s) − use) × 2^(−(t − s)/halfLife)
///
/// With a half-life of 10 h, 8 GPUs for 10 h average 4. 10 h without use later the average is 2.
///
/// The use of a policy or department is that in all pools, as its rights are; a tenant's is that in
/// this one.
///
/// Averages are the same on any machine. Shares count them in whole units, so they compare exactly.
public final class UseHistory {
  /// The history of no pool: past use does not count.
  public static final UseHistory NONE = new UseHistory(new PoolId(TenantId.PLATFORM, ""));

  private static final double NANOS_PER_SECOND = 1e9;

  private final PoolId pool;
  private @Nullable Duration halfLife;

  private final Map<PastUse.Level, Past> pasts = new LinkedHashMap<>();

  private Instant now = Instant.MIN;

  /// Counts the decisions.
  private long decision;

  /// Whether each average was computed anew, so that it does not follow from the last one told.
  private boolean allChanged;

  private static final class Past {
    double average;
    long present;
    Instant at;

    /// The average by weight in the decision with that number.
    long units;

    long knownIn = -1;

    Past(double average, long present, Instant at) {
      this.average = average;
      this.present = present;
      this.at = at;
    }
  }

  public UseHistory(PoolId pool) {
    this.pool = pool;
  }

  /// Takes the pool's half-life; empty: past use does not count. The averages up to now stay.
  public void configure(Optional<Duration> newHalfLife) {
    if (halfLife != null && !newHalfLife.equals(Optional.of(halfLife))) {
      pasts.values().forEach(past -> moveTo(past, now));
      allChanged = !pasts.isEmpty();
    }
    halfLife = newHalfLife.orElse(null);
  }

  /// Whether past use counts.
  public boolean isKept() {
    return halfLife != null;
  }

  /// Whether there is nothing to keep or to tell.
  public boolean isEmpty() {
    return halfLife == null && pasts.isEmpty();
  }

  /// A decision begins.
  public void begin(Instant at) {
    now = at;
    decision++;
  }

  /// The average past use of a level divided by its weight, in units of 1/126000 GPU. It is rounded
  /// after the division, so that use in proportion to the weights leaves shares equal.
  long unitsByWeight(Account level) {
    if (halfLife == null) {
      return 0;
    }
    Past past = pasts.get(level.level());
    if (past == null) {
      return 0;
    }
    if (past.knownIn != decision) {
      past.units = Math.round(average(past, now) / level.weight());
      past.knownIn = decision;
    }
    return past.units;
  }

  /// Takes what was told before.
  public void restore(PastUse past) {
    pasts.put(past.level(), new Past(past.average(), past.present(), past.at()));
  }

  /// Takes the present use of all levels at the end of a decision.
  ///
  /// @param levels all that there are, in a fixed order
  /// @return the changes
  public List<PastUse> renew(List<Account> levels) {
    List<PastUse> changes = new ArrayList<>();
    int known = 0;
    for (Account level : levels) {
      Past past = pasts.get(level.level());
      known += past == null ? 0 : 1;
      if (isKept() && (past == null ? level.over(0) > 0 : isChanged(past, level.over(0)))) {
        changes.add(renew(level, past));
      }
    }
    if (!isKept()) {
      changes.addAll(forgetAllBut(Set.of()));
    } else if (known < pasts.size()) {
      Set<PastUse.Level> present = new HashSet<>();
      levels.forEach(level -> present.add(level.level()));
      changes.addAll(forgetAllBut(present));
    }
    allChanged = false;
    return changes;
  }

  private boolean isChanged(Past past, long use) {
    return allChanged || past.present != use;
  }

  private PastUse renew(Account level, @Nullable Past known) {
    Past past = known == null ? new Past(0, 0, now) : known;
    moveTo(past, now);
    past.present = level.over(0);
    PastUse told = told(level.level(), past);
    if (told.isNothing()) {
      pasts.remove(level.level());
    } else {
      pasts.put(level.level(), past);
    }
    return told;
  }

  /// Forgets levels that are gone.
  private List<PastUse> forgetAllBut(Set<PastUse.Level> levels) {
    List<PastUse> changes = new ArrayList<>();
    for (PastUse.Level level : List.copyOf(pasts.keySet())) {
      if (!levels.contains(level)) {
        pasts.remove(level);
        changes.add(new PastUse(pool, level, 0, 0, now));
      }
    }
    return changes;
  }

  /// The averages of the levels.
  ///
  /// @param levels all that there are, in a fixed order
  public List<PastUse> all(List<Account> levels) {
    List<PastUse> all = new ArrayList<>();
    for (Account level : levels) {
      Past past = pasts.get(level.level());
      if (past != null) {
        all.add(told(level.level(), past));
      }
    }
    return all;
  }

  private PastUse told(PastUse.Level level, Past past) {
    return new PastUse(pool, level, past.average, past.present, past.at);
  }

  private void moveTo(Past past, Instant to) {
    past.average = average(past, to);
    past.at = to;
  }

  private double average(Past past, Instant to) {
    return halfLife == null || !to.isAfter(past.at)
        ? past.average
        : average(past.average, past.present, Duration.between(past.at, to), halfLife);
  }

  /// An average of the past after a further time of constant use.
  static double average(double before, long use, Duration time, Duration halfLife) {
    double halves = seconds(time) / seconds(halfLife);
    return use + (before - use) * StrictMath.pow(2, -halves);
  }

  private static double seconds(Duration time) {
    return time.getSeconds() + time.getNano() / NANOS_PER_SECOND;
  }
}
