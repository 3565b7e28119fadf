package io.headgate.policy.grpc;

import io.headgate.policy.core.access.AccessSpec.BudgetSpec;
import io.headgate.proto.policy.v1.AccessWarning;
import io.headgate.proto.policy.v1.Budget;

/// Converts budgets to and from messages.
final class BudgetMapping {
  private BudgetMapping() {}

  static Budget toProto(io.headgate.policy.core.access.Budget budget) {
    Budget.Builder proto =
        Budget.newBuilder()
            .setPer(
                switch (budget.per()) {
                  case DAY -> Budget.Per.PER_DAY;
                  case WEEK -> Budget.Per.PER_WEEK;
                  case MONTH -> Budget.Per.PER_MONTH;
                  case YEAR -> Budget.Per.PER_YEAR;
                })
            .setWarnAt(budget.warnAt())
            .setWhenSpent(
                switch (budget.whenSpent()) {
                  case WARN -> Budget.WhenSpent.WHEN_SPENT_WARN;
                  case YIELD -> Budget.WhenSpent.WHEN_SPENT_YIELD;
                  case WAIT -> Budget.WhenSpent.WHEN_SPENT_WAIT;
                  case STOP -> Budget.WhenSpent.WHEN_SPENT_STOP;
                });
    switch (budget.amount()) {
      case io.headgate.policy.core.access.Budget.Amount.GpuHours(var hours) ->
          proto.setGpuHours(hours.toPlainString());
      case io.headgate.policy.core.access.Budget.Amount.Cost(var cost, var currency) ->
          proto.setCost(cost.toPlainString()).setCurrency(currency);
    }
    return proto.build();
  }

  static AccessWarning toProto(
      io.headgate.policy.core.access.AccessWarning.UnpricedBudget unpriced) {
    return AccessWarning.newBuilder()
        .setReason("UNPRICED_BUDGET")
        .setMessage(
            "no pool has a price in %s, so nothing counts in this budget; %s"
                .formatted(
                    unpriced.currency(),
                    unpriced.known().isEmpty()
                        ? "set pricePerGpuHour and currency of the pools"
                        : "their prices are in " + String.join(", ", unpriced.known())))
        .setField(unpriced.field())
        .build();
  }

  static BudgetSpec spec(Budget budget) {
    return new BudgetSpec(
        budget.getGpuHours(),
        budget.getCost(),
        budget.getCurrency(),
        switch (budget.getPer()) {
          case PER_DAY -> io.headgate.policy.core.access.Budget.Per.DAY;
          case PER_WEEK -> io.headgate.policy.core.access.Budget.Per.WEEK;
          case PER_MONTH -> io.headgate.policy.core.access.Budget.Per.MONTH;
          case PER_YEAR -> io.headgate.policy.core.access.Budget.Per.YEAR;
          // Validation refuses a request without it before an endpoint sees it.
          case PER_UNSPECIFIED, UNRECOGNIZED -> throw AccessMapping.unchecked(budget.getPerValue());
        },
        budget.getWarnAt(),
        switch (budget.getWhenSpent()) {
          case WHEN_SPENT_UNSPECIFIED, WHEN_SPENT_WARN ->
              io.headgate.policy.core.access.Budget.WhenSpent.WARN;
          case WHEN_SPENT_YIELD -> io.headgate.policy.core.access.Budget.WhenSpent.YIELD;
          case WHEN_SPENT_WAIT -> io.headgate.policy.core.access.Budget.WhenSpent.WAIT;
          case WHEN_SPENT_STOP -> io.headgate.policy.core.access.Budget.WhenSpent.STOP;
          case UNRECOGNIZED -> throw AccessMapping.unchecked(budget.getWhenSpentValue());
        });
  }
}
