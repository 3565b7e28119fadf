package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.scheduler.runtime.record.LeaderTask;
import io.headgate.scheduler.runtime.record.UsageReader;
import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Dimension;
import io.headgate.scheduler.runtime.record.UsageReader.Row;
import io.headgate.type.Viewer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts what budgets have used, from the ledger of usage, every ten seconds, and tells the
/// leader. It works in the process of the leader, beside the loop, and has a thread of its own. It
/// tries again after a failure.
///
/// Held slices do not count: no job uses them.
public final class BudgetCounter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BudgetCounter.class);

  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration STOP = Duration.ofSeconds(10);
  private static final int PLACES = 6;

  /// One GPU for one hour, in 1/126000 GPU × ms.
  private static final BigDecimal GPU_HOUR = BigDecimal.valueOf(126_000L * 3_600_000);

  /// Each department of a policy is a part of the path.
  private static final List<Dimension> BY = List.of(Dimension.DEPARTMENT, Dimension.POLICY);

  private final LeaderDoor door;
  private final UsageReader usage;
  private final LeaderTask task;

  /// The budgets of one tenant.
  private record Configured(TenantId tenant, List<Budget> budgets) {}

  /// The leader's answer.
  private record Said(Instant now, List<Configured> tenants, List<UsageInterval> open) {}

  /// @param usage that the door's leader writes
  public BudgetCounter(LeaderDoor door, UsageReader usage) {
    this.door = door;
    this.usage = usage;
    this.task =
        new LeaderTask(
            "scheduler-budgets", new LeaderTask.Times(PERIOD, STOP), door::isLeading, this::work);
  }

  public void start() {
    task.start();
  }

  private Duration work() {
    try {
      count();
    } catch (NotLeadingException e) {
      LOG.debug("this process leads no more", e);
    } catch (RuntimeException e) {
      LOG.warn("budgets were not counted, trying again in 10 s: {}", e.toString());
      LOG.debug("budgets were not counted", e);
    }
    return PERIOD;
  }

  /// Counts once. A tenant that fails does not keep others from being counted.
  void count() {
    Said said =
        door.ask(leader -> {
          List<Configured> tenants =
              leader.catalog().tenantsWithBudgets().stream()
                  .map(tenant -> new Configured(tenant, leader.catalog().budgets(tenant)))
                  .toList();
          return new Said(
              leader.now().truncatedTo(ChronoUnit.MILLIS),
              tenants,
              tenants.isEmpty() ? List.of() : leader.reads().openUsage(leader.now()));
        });
    if (said.tenants().isEmpty()) {
      return;
    }
    List<BudgetUse> uses = new ArrayList<>();
    for (Configured configured : said.tenants()) {
      try {
        uses.addAll(count(configured, said));
      } catch (RuntimeException e) {
        LOG.warn("budgets of {} were not counted: {}", configured.tenant(), e.toString());
        LOG.debug("budgets of {} were not counted", configured.tenant(), e);
      }
    }
    door.counted(uses);
  }

  private List<BudgetUse> count(Configured configured, Said said) {
    Map<Budget.Per, List<Row>> rows = new EnumMap<>(Budget.Per.class);
    List<BudgetUse> uses = new ArrayList<>();
    for (Budget budget : configured.budgets()) {
      Budget.Period period = budget.per().at(said.now());
      List<Row> used =
          rows.computeIfAbsent(budget.per(), _ -> read(configured.tenant(), period.start(), said));
      uses.add(
          new BudgetUse(
              budget.key(),
              budget.currency(),
              period.start(),
              period.end(),
              sum(budget, used),
              said.now()));
    }
    return uses;
  }

  private List<Row> read(TenantId tenant, Instant start, Said said) {
    return start.isBefore(said.now())
        ? usage
            .report(
                new Asked(Optional.of(tenant), Viewer.OF_ALL, start, said.now(), said.now()),
                BY,
                said.open())
            .rows()
        : List.of();
  }

  /// The use of a budget, rounded down.
  static BigDecimal sum(Budget budget, List<Row> rows) {
    BigInteger time = BigInteger.ZERO;
    BigDecimal cost = BigDecimal.ZERO;
    for (Row row : rows) {
      if (counts(budget.key(), row)) {
        UsageReader.Sums sums = row.sums();
        time = time.add(sums.entitled()).add(sums.overReservation()).add(sums.aboveLimit());
        cost =
            cost.add(
                budget
                    .currency()
                    .map(currency -> sums.costs().getOrDefault(currency, BigDecimal.ZERO))
                    .orElse(BigDecimal.ZERO));
      }
    }
    return budget.currency().isPresent()
        ? cost.setScale(PLACES, RoundingMode.FLOOR).stripTrailingZeros()
        : new BigDecimal(time).divide(GPU_HOUR, PLACES, RoundingMode.FLOOR).stripTrailingZeros();
  }

  private static boolean counts(Budget.Key key, Row row) {
    return switch (key.level()) {
      case TENANT -> true;
      case DEPARTMENT -> List.of(row.keys().get(0).split("/")).contains(key.name());
      case POLICY -> row.keys().get(1).equals(key.name());
    };
  }

  /// Waits for the count in progress.
  @Override
  public void close() {
    task.close();
  }
}
