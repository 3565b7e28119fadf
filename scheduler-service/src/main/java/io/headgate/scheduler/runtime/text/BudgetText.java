package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.BudgetUse;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/// The state of a budget, in one sentence and as values by name.
public final class BudgetText {
  private static final int PLACES = 2;

  private BudgetText() {}

  /// `policy ai-dev has used all of its budget of 5000 GPU-hours until 2026-12-01T00:00:00Z: its
  /// jobs wait`.
  public static String sentence(Budget budget, BudgetUse use) {
    String subject = budget.key().subject();
    String amount = budget.text(budget.amount());
    String used = used(use);
    return switch (budget.state(use.used())) {
      case OK ->
          "%s has room in its budget again: %s of %s used until %s"
              .formatted(subject, used, amount, use.end());
      case WARNED ->
          "%s has used %s of its budget of %s, %s %%, until %s"
              .formatted(subject, used, amount, percent(budget, use), use.end());
      case SPENT ->
          "%s has used all of its budget of %s until %s: %s"
              .formatted(
                  subject,
                  amount,
                  use.end(),
                  switch (budget.whenSpent()) {
                    case WARN -> "its jobs go on all the same";
                    case YIELD -> "it reserves nothing till then";
                    case WAIT -> "its jobs wait";
                    case STOP -> "its jobs are stopped, and wait";
                  });
    };
  }

  private static String used(BudgetUse use) {
    return use.used().setScale(PLACES, RoundingMode.FLOOR).toPlainString();
  }

  private static String percent(Budget budget, BudgetUse use) {
    return use.used()
        .multiply(BigDecimal.valueOf(100))
        .divide(budget.amount(), 0, RoundingMode.FLOOR)
        .toPlainString();
  }

  public static Map<String, String> detail(Budget budget, BudgetUse use) {
    Map<String, String> detail = new LinkedHashMap<>();
    detail.put(budget.key().level().word(), budget.key().name());
    detail.put("used", use.used().toPlainString());
    detail.put("budget", budget.text(budget.amount()));
    detail.put("until", use.end().toString());
    return detail;
  }
}
