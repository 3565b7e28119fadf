package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.BudgetSpec;
import java.math.BigDecimal;
import java.util.Currency;
import java.util.Optional;

/// Reads one budget. Each empty result has added a problem.
final class BudgetReader {
  private static final String AMOUNT = "[0-9]{1,12}([.][0-9]{1,6})?";

  private final Problems<Denial> problems;

  BudgetReader(Problems<Denial> problems) {
    this.problems = problems;
  }

  /// @param path of the budget in the request
  Optional<Budget> read(String path, BudgetSpec spec) {
    Optional<Budget.Amount> amount = amount(path, spec);
    int warnAt = spec.warnAt() == 0 ? Budget.DEFAULT_WARN_AT : spec.warnAt();
    boolean isPart = warnAt >= 1 && warnAt <= 100;
    if (!isPart) {
      problems.add(
          new Denial.OutOfRange(
              path + ".warn_at", Integer.toString(spec.warnAt()), "1", "100 percent"));
    }
    return isPart
        ? amount.map(read -> new Budget(read, spec.per(), warnAt, spec.whenSpent()))
        : Optional.empty();
  }

  private Optional<Budget.Amount> amount(String path, BudgetSpec spec) {
    boolean isTime = !spec.gpuHours().isEmpty();
    if (isTime && !spec.cost().isEmpty()) {
      return contradiction(
          path + ".cost", "a budget bounds gpu_hours or cost: leave one of the two out");
    }
    if (!isTime && spec.cost().isEmpty()) {
      return contradiction(path + ".gpu_hours", "a budget needs an amount: set gpu_hours or cost");
    }
    if (isTime) {
      return spec.currency().isEmpty()
          ? number(path + ".gpu_hours", spec.gpuHours()).map(Budget.Amount.GpuHours::new)
          : contradiction(
              path + ".currency",
              "'" + spec.currency() + "' is the currency of no cost: leave it out, or set cost");
    }
    Optional<BigDecimal> cost = number(path + ".cost", spec.cost());
    return isCurrency(path + ".currency", spec.currency())
        ? cost.map(value -> new Budget.Amount.Cost(value, spec.currency()))
        : Optional.empty();
  }

  private <T> Optional<T> contradiction(String field, String explanation) {
    problems.add(new Denial.Contradiction(field, explanation));
    return Optional.empty();
  }

  private Optional<BigDecimal> number(String field, String text) {
    if (text.matches(AMOUNT)) {
      BigDecimal number = new BigDecimal(text);
      if (number.signum() > 0) {
        return Optional.of(number);
      }
    }
    problems.add(new Denial.MalformedAmount(field, text));
    return Optional.empty();
  }

  /// As pool-service: in another currency nothing would ever count.
  private boolean isCurrency(String field, String code) {
    boolean known =
        Currency.getAvailableCurrencies().stream()
            .anyMatch(currency -> currency.getCurrencyCode().equals(code));
    if (!known) {
      problems.add(new Denial.UnknownCurrency(field, code));
    }
    return known;
  }
}
