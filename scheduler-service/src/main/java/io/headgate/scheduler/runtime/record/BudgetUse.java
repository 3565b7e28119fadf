package io.headgate.scheduler.runtime.record;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/// The use of a budget in one of its periods, by the last count.
///
/// @param currency of the counted money; absent: GPU-hours
/// @param start of the period
/// @param end of the period
/// @param countedAt all use before is in it
public record BudgetUse(
    Budget.Key key,
    Optional<String> currency,
    Instant start,
    Instant end,
    BigDecimal used,
    Instant countedAt) {
  /// Whether it says something about the budget: its unit and its period may have changed since.
  public boolean isOf(Budget budget) {
    return currency.equals(budget.currency())
        && budget.per().at(start).equals(new Budget.Period(start, end));
  }
}
