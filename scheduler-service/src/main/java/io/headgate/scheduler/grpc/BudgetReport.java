package io.headgate.scheduler.grpc;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.policy.v1.Budget.Per;
import io.headgate.proto.policy.v1.Budget.WhenSpent;
import io.headgate.proto.scheduler.v1.BudgetUse;
import io.headgate.proto.scheduler.v1.ReportBudgetsResponse;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.type.Viewer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Budgets in the form of the contract.
final class BudgetReport {
  private BudgetReport() {}

  /// The budgets that the viewer sees: of its teams, or all.
  static ReportBudgetsResponse of(CatalogView catalog, TenantId tenant, Viewer viewer) {
    ReportBudgetsResponse.Builder report = ReportBudgetsResponse.newBuilder();
    for (Budget budget : catalog.budgets(tenant)) {
      boolean isOfTeam =
          budget.key().level() == Level.POLICY && viewer.seesTeam(budget.key().name());
      if (viewer.seesAll() || isOfTeam) {
        report.addBudgets(toProto(budget, catalog.budgets().use(budget)));
      }
    }
    return report.build();
  }

  private static BudgetUse toProto(
      Budget budget, Optional<io.headgate.scheduler.runtime.record.BudgetUse> counted) {
    BudgetUse.Builder proto =
        BudgetUse.newBuilder()
            .setLevel(
                switch (budget.key().level()) {
                  case TENANT -> BudgetUse.Level.LEVEL_TENANT;
                  case DEPARTMENT -> BudgetUse.Level.LEVEL_DEPARTMENT;
                  case POLICY -> BudgetUse.Level.LEVEL_POLICY;
                })
            .setId(budget.key().name())
            .setBudget(configured(budget));
    counted.ifPresent(use -> {
      proto
          .setStartTime(ProtoTimes.toProto(use.start()))
          .setEndTime(ProtoTimes.toProto(use.end()))
          .setUsed(use.used().toPlainString())
          .setReadTime(ProtoTimes.toProto(use.countedAt()))
          .setState(
              switch (budget.state(use.used())) {
                case OK -> BudgetUse.State.STATE_OK;
                case WARNED -> BudgetUse.State.STATE_WARNED;
                case SPENT -> BudgetUse.State.STATE_SPENT;
              });
      expectedSpent(budget, use).map(ProtoTimes::toProto).ifPresent(proto::setExpectedSpentTime);
    });
    return proto.build();
  }

  private static io.headgate.proto.policy.v1.Budget configured(Budget budget) {
    io.headgate.proto.policy.v1.Budget.Builder proto =
        io.headgate.proto.policy.v1.Budget.newBuilder()
            .setPer(
                switch (budget.per()) {
                  case DAY -> Per.PER_DAY;
                  case WEEK -> Per.PER_WEEK;
                  case MONTH -> Per.PER_MONTH;
                  case YEAR -> Per.PER_YEAR;
                })
            .setWarnAt(budget.warnAt())
            .setWhenSpent(
                switch (budget.whenSpent()) {
                  case WARN -> WhenSpent.WHEN_SPENT_WARN;
                  case YIELD -> WhenSpent.WHEN_SPENT_YIELD;
                  case WAIT -> WhenSpent.WHEN_SPENT_WAIT;
                  case STOP -> WhenSpent.WHEN_SPENT_STOP;
                });
    String amount = budget.amount().toPlainString();
    budget
        .currency()
        .ifPresentOrElse(
            currency -> proto.setCost(amount).setCurrency(currency),
            () -> proto.setGpuHours(amount));
    return proto.build();
  }

  /// When it is spent if use goes on as in the period so far; empty: not in the period, or it is.
  static Optional<Instant> expectedSpent(
      Budget budget, io.headgate.scheduler.runtime.record.BudgetUse use) {
    BigDecimal left = budget.amount().subtract(use.used());
    long millis = Duration.between(use.start(), use.countedAt()).toMillis();
    if (left.signum() <= 0 || use.used().signum() == 0 || millis <= 0) {
      return Optional.empty();
    }
    BigDecimal more =
        left.multiply(BigDecimal.valueOf(millis)).divide(use.used(), 0, RoundingMode.CEILING);
    BigDecimal rest = BigDecimal.valueOf(Duration.between(use.countedAt(), use.end()).toMillis());
    return more.compareTo(rest) < 0
        ? Optional.of(use.countedAt().plusMillis(more.longValueExact()))
        : Optional.empty();
  }
}
