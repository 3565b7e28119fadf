package io.headgate.sdk.wire;

import io.headgate.sdk.config.Budget;
import java.math.BigDecimal;

/// Maps budgets between messages and records.
final class BudgetMessages {
  private BudgetMessages() {}

  /// Enumerations of a newer server are read as their defaults.
  static Budget budget(io.headgate.proto.policy.v1.Budget budget) {
    return new Budget(
        budget.getGpuHours().isEmpty()
            ? new Budget.Amount.Cost(new BigDecimal(budget.getCost()), budget.getCurrency())
            : new Budget.Amount.GpuHours(new BigDecimal(budget.getGpuHours())),
        switch (budget.getPer()) {
          case PER_DAY -> Budget.Per.DAY;
          case PER_WEEK -> Budget.Per.WEEK;
          case PER_YEAR -> Budget.Per.YEAR;
          case PER_MONTH, PER_UNSPECIFIED, UNRECOGNIZED -> Budget.Per.MONTH;
        },
        budget.getWarnAt() == 0 ? Budget.DEFAULT_WARN_AT : budget.getWarnAt(),
        switch (budget.getWhenSpent()) {
          case WHEN_SPENT_YIELD -> Budget.WhenSpent.YIELD;
          case WHEN_SPENT_WAIT -> Budget.WhenSpent.WAIT;
          case WHEN_SPENT_STOP -> Budget.WhenSpent.STOP;
          case WHEN_SPENT_WARN, WHEN_SPENT_UNSPECIFIED, UNRECOGNIZED -> Budget.WhenSpent.WARN;
        });
  }

  static io.headgate.proto.policy.v1.Budget budget(Budget budget) {
    io.headgate.proto.policy.v1.Budget.Builder message =
        io.headgate.proto.policy.v1.Budget.newBuilder()
            .setPer(
                switch (budget.per()) {
                  case DAY -> io.headgate.proto.policy.v1.Budget.Per.PER_DAY;
                  case WEEK -> io.headgate.proto.policy.v1.Budget.Per.PER_WEEK;
                  case MONTH -> io.headgate.proto.policy.v1.Budget.Per.PER_MONTH;
                  case YEAR -> io.headgate.proto.policy.v1.Budget.Per.PER_YEAR;
                })
            .setWarnAt(budget.warnAt())
            .setWhenSpent(
                switch (budget.whenSpent()) {
                  case WARN -> io.headgate.proto.policy.v1.Budget.WhenSpent.WHEN_SPENT_WARN;
                  case YIELD -> io.headgate.proto.policy.v1.Budget.WhenSpent.WHEN_SPENT_YIELD;
                  case WAIT -> io.headgate.proto.policy.v1.Budget.WhenSpent.WHEN_SPENT_WAIT;
                  case STOP -> io.headgate.proto.policy.v1.Budget.WhenSpent.WHEN_SPENT_STOP;
                });
    switch (budget.amount()) {
      case Budget.Amount.GpuHours(var hours) -> message.setGpuHours(hours.toPlainString());
      case Budget.Amount.Cost(var cost, var currency) ->
          message.setCost(cost.toPlainString()).setCurrency(currency);
    }
    return message.build();
  }
}
