package io.headgate.policy.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.BudgetSpec;
import io.headgate.policy.core.access.Budget.Amount;
import io.headgate.policy.core.access.Budget.Per;
import io.headgate.policy.core.access.Budget.WhenSpent;
import java.math.BigDecimal;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetReaderTest {
  private final Problems<Denial> problems = new Problems<>();

  @Test
  void readsGpuTimeWithItsDefaults() {
    assertThat(read("5000.50", "", "", 0))
        .contains(
            new Budget(
                new Amount.GpuHours(new BigDecimal("5000.5")), Per.MONTH, 80, WhenSpent.WAIT));
  }

  @Test
  void readsMoney() {
    assertThat(read("", "999999999999.999999", "EUR", 100))
        .contains(
            new Budget(
                new Amount.Cost(new BigDecimal("999999999999.999999"), "EUR"),
                Per.MONTH,
                100,
                WhenSpent.WAIT));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "0.000000", "-1", "1e3", "1.", ".5", "1.1234567", "1000000000000", "many"})
  void refusesWhatIsNoAmount(String text) {
    assertThat(read(text, "", "", 0)).isEmpty();
    assertThat(problems.denials())
        .containsExactly(new Denial.MalformedAmount("budget.gpu_hours", text));
  }

  @Test
  void refusesContradictions() {
    assertThat(read("1", "1", "EUR", 0)).isEmpty();
    assertThat(read("", "", "", 0)).isEmpty();
    assertThat(read("1", "", "EUR", 0)).isEmpty();
    assertThat(problems.denials())
        .containsExactly(
            new Denial.Contradiction(
                "budget.cost", "a budget bounds gpu_hours or cost: leave one of the two out"),
            new Denial.Contradiction(
                "budget.gpu_hours", "a budget needs an amount: set gpu_hours or cost"),
            new Denial.Contradiction(
                "budget.currency", "'EUR' is the currency of no cost: leave it out, or set cost"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "eur", "EURO", "QQQ"})
  void refusesMoneyOfNoCurrency(String currency) {
    assertThat(read("", "1", currency, 0)).isEmpty();
    assertThat(problems.denials())
        .containsExactly(new Denial.UnknownCurrency("budget.currency", currency));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 101})
  void refusesAPartOutOfBounds(int warnAt) {
    assertThat(read("1", "", "", warnAt)).isEmpty();
    assertThat(problems.denials())
        .containsExactly(
            new Denial.OutOfRange("budget.warn_at", Integer.toString(warnAt), "1", "100 percent"));
  }

  private Optional<Budget> read(String hours, String cost, String currency, int warnAt) {
    return new BudgetReader(problems)
        .read("budget", new BudgetSpec(hours, cost, currency, Per.MONTH, warnAt, WhenSpent.WAIT));
  }
}
