package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.type.Viewer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the ledger of usage for callers' queries. Blocks; thread-safe. Amounts of GPU time are in
/// 1/126000 GPU × ms.
public interface UsageReader {
  /// A property of usage; the rows of a report stand for its values.
  enum Dimension {
    TENANT,
    DEPARTMENT,
    POLICY,
    GROUP,
    USER,
    QUEUE,
    PROFILE,
    POOL
  }

  /// A period and whose usage is asked for.
  ///
  /// @param tenant empty: all
  /// @param viewer whose teams are ids of policies
  /// @param from in whole milliseconds, as the other times
  /// @param until not after `asOf`
  /// @param asOf the time of the leader when it said which intervals last
  record Asked(
      Optional<TenantId> tenant, Viewer viewer, Instant from, Instant until, Instant asOf) {}

  /// The sums of a combination of values.
  ///
  /// @param costs by currency
  /// @param waits the number of started jobs by bucket of [WaitingTimes]
  record Sums(
      BigInteger entitled,
      BigInteger overReservation,
      BigInteger aboveLimit,
      BigInteger held,
      BigInteger busy,
      BigInteger measured,
      BigInteger lost,
      long preemptions,
      long starts,
      Map<String, BigDecimal> costs,
      Map<Integer, Long> waits) {
    public Sums {
      costs = Map.copyOf(costs);
      waits = Map.copyOf(waits);
    }
  }

  /// The sums of one combination.
  ///
  /// @param keys values of the dimensions, in order
  /// @param reserved of the policies; only where all dimensions are known of policies
  record Row(List<String> keys, Optional<BigInteger> reserved, Sums sums) {
    public Row {
      keys = List.copyOf(keys);
    }
  }

  /// The sums of all combinations.
  ///
  /// @param finalUntil earlier sums never change again; empty: nothing is final yet
  record Report(List<Row> rows, Row total, Optional<Instant> finalUntil) {
    public Report {
      rows = List.copyOf(rows);
    }
  }

  /// The part of its reservation that a policy lacked.
  ///
  /// @param reasons by code
  record Shortage(
      String policy,
      BigInteger reserved,
      BigInteger missing,
      Duration duration,
      Duration longest,
      Map<String, Part> reasons) {
    /// The part of one reason.
    public record Part(BigInteger missing, Duration duration) {}

    public Shortage {
      reasons = Map.copyOf(reasons);
    }
  }

  /// A pool's amounts: the capacity is what its parts make up.
  record Capacity(
      String pool,
      BigInteger capacity,
      BigInteger entitled,
      BigInteger overReservation,
      BigInteger aboveLimit,
      BigInteger held,
      BigInteger idle,
      BigInteger unusable,
      BigInteger down) {
    /// The capacity as the sum of its parts.
    public BigInteger parts() {
      return entitled.add(overReservation).add(aboveLimit).add(held).add(idle).add(down);
    }
  }

  /// Two ways to count one thing.
  record Identity(String subject, BigInteger ledger, BigInteger recount, String method) {
    public boolean closes() {
      return ledger.equals(recount);
    }
  }

  /// Sums up the usage of a period.
  ///
  /// @param open the intervals that last at `asOf`, as if they ended then
  /// @throws TooManyRowsException if the dimensions have too many values
  Report report(Asked asked, List<Dimension> by, List<UsageInterval> open);

  /// The shortages of policies, by id.
  List<Shortage> shortages(Asked asked);

  /// The pools that the tenant owns.
  List<Capacity> capacities(Asked asked);

  /// Counts the period anew from events.
  List<Identity> check(Asked asked, List<UsageInterval> open);
}
