package io.headgate.sdk.config;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the mapping `budget`.
final class BudgetReader {
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,12}(\\.\\d{1,6})?");
  private static final String GPU_HOURS = "gpuHours";
  private static final String COST = "cost";
  private static final String CURRENCY = "currency";

  private BudgetReader() {}

  /// The budget of the object that has `fields`; null: it has none, or a wrong one, which is
  /// reported.
  static @Nullable Budget read(MappingReader fields) {
    MappingReader budget = fields.nested("budget", PolicyKeys.BUDGET.names());
    if (budget == null) {
      return null;
    }
    ValueReader values = new ValueReader(budget);
    Budget.Amount amount = amount(budget, values);
    Budget.Per per = values.keywordOrNull(PolicyKeys.PER);
    if (budget.value("per") == null) {
      budget.missing("per", "say when it begins anew: per: month");
    }
    int warnAt = values.integer(PolicyKeys.WARN_AT);
    Budget.WhenSpent whenSpent = values.keyword(PolicyKeys.WHEN_SPENT);
    return amount == null || per == null ? null : new Budget(amount, per, warnAt, whenSpent);
  }

  private static Budget.@Nullable Amount amount(MappingReader budget, ValueReader values) {
    boolean isTime = budget.has(GPU_HOURS);
    if (isTime == budget.has(COST)) {
      if (!budget.hasUnknownKeys() && budget.isMapping()) {
        report(
            budget,
            budget.span(),
            budget.path(),
            "a budget bounds GPU time or money",
            isTime ? "names both" : "names neither",
            "write gpuHours: 5000, or cost: 12000 and currency: EUR");
      }
      return null;
    }
    YamlTree.Scalar currency = budget.scalar(CURRENCY);
    if (isTime) {
      if (currency != null) {
        report(
            budget,
            currency.span(),
            budget.path(CURRENCY),
            "currency belongs to cost",
            "this budget bounds gpuHours",
            "remove it, or write cost in place of gpuHours");
      }
      BigDecimal hours = number(budget, values, GPU_HOURS);
      return hours == null ? null : new Budget.Amount.GpuHours(hours);
    }
    BigDecimal cost = number(budget, values, COST);
    if (budget.value(CURRENCY) == null) {
      budget.missing(CURRENCY, "say in which currency, as the prices of the pools: currency: EUR");
    }
    String code = PoolReader.currency(budget, values);
    return cost == null || code == null ? null : new Budget.Amount.Cost(cost, code);
  }

  private static void report(
      MappingReader budget, Span span, String field, String message, String note, String next) {
    budget.problems().add(Problem.of("BAD_VALUE", message, span, field).note(note).next(next));
  }

  private static @Nullable BigDecimal number(MappingReader budget, ValueReader values, String key) {
    YamlTree.Scalar scalar = budget.scalar(key);
    if (scalar == null) {
      return null;
    }
    if (AMOUNT.matcher(scalar.text()).matches()) {
      BigDecimal number = new BigDecimal(scalar.text());
      if (number.signum() > 0) {
        return number;
      }
    }
    values.bad(
        scalar,
        key,
        "is not an amount",
        "write a number above 0 such as 5000 or 12000.50, with at most 12 digits and 6 decimals");
    return null;
  }
}
