package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.sdk.config.ConfigurationDiff.Change;
import io.headgate.sdk.config.ConfigurationDiff.FieldChange;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetsTest {
  private static final String FILE =
      """
      apiVersion: headgate/v1
      kind: Configuration
      tenant: acme
      budget: {cost: 12000.5, currency: EUR, per: year, warnAt: 50, whenSpent: stop}

      groups:
        - name: g
          users: [ada]

      departments:
        - name: d
          budget: {gpuHours: 5000, per: month, whenSpent: wait}

      policies:
        - name: p
          group: g
          department: d
          limit: 4
          budget: {gpuHours: 0.5, per: day}
      """;

  @Test
  void budgetsOfAllLevelsAreReadAndWrittenAlike() throws Exception {
    Configuration read = read(FILE);
    assertThat(read.budget())
        .isEqualTo(
            new Budget(
                new Budget.Amount.Cost(new BigDecimal("12000.50"), "EUR"),
                Budget.Per.YEAR,
                50,
                Budget.WhenSpent.STOP));
    assertThat(read.departments().getFirst().budget())
        .isEqualTo(
            new Budget(
                new Budget.Amount.GpuHours(new BigDecimal("5000")),
                Budget.Per.MONTH,
                80,
                Budget.WhenSpent.WAIT));
    assertThat(read.policies().getFirst().budget())
        .isEqualTo(
            new Budget(
                new Budget.Amount.GpuHours(new BigDecimal("0.5")),
                Budget.Per.DAY,
                80,
                Budget.WhenSpent.WARN));
    assertThat(ConfigurationWriter.write(read)).isEqualTo(FILE);
  }

  @Test
  void aPlanTellsWhatChanges() throws Exception {
    String next =
        FILE.replace("gpuHours: 5000, per: month", "gpuHours: 6000, per: month, warnAt: 90")
            .replace("budget: {gpuHours: 0.5, per: day}", "")
            .replace("cost: 12000.5", "cost: 12000.50")
            .replace("whenSpent: stop", "whenSpent: yield");
    ConfigurationDiff diff = ConfigurationDiff.between(read(FILE), read(next));
    assertThat(diff.changes())
        .extracting(Change::name, BudgetsTest::changed)
        .containsExactly(
            tuple("acme", List.of("budget.whenSpent stop -> yield")),
            tuple(
                "d",
                List.of(
                    "budget 5000 GPU-hours per month -> 6000 GPU-hours per month",
                    "budget.warnAt 80 % -> 90 %")),
            tuple(
                "p",
                List.of(
                    "budget 0.5 GPU-hours per day -> -",
                    "budget.warnAt 80 % -> -",
                    "budget.whenSpent warn -> -")));
  }

  @Test
  void anotherWayToWriteTheSameAmountIsNoChange() throws Exception {
    ConfigurationDiff diff =
        ConfigurationDiff.between(read(FILE), read(FILE.replace("12000.5,", "012000.500,")));
    assertThat(diff.isEmpty()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{per: day}|budget|a budget bounds GPU time or money",
        "{gpuHours: 1, cost: 1, currency: EUR, per: day}|budget|a budget bounds GPU time or money",
        "{gpuHours: 1, currency: EUR, per: day}|budget.currency|currency belongs to cost",
        "{cost: 1, per: day}|budget.currency|budget has no currency",
        "{cost: 1, currency: eur, per: day}|budget.currency|\"eur\" is not a currency code",
        "{gpuHours: 1}|budget.per|budget has no per",
        "{gpuHours: 1, per: decade}|budget.per|\"decade\" is not one of day, week, month, year",
        "{gpuHours: 1, per: day, warnAt: 0}|budget.warnAt"
            + "|\"0\" is not a whole number from 1 to 100",
        "{gpuHours: 1, per: day, warnAt: 99.5}|budget.warnAt"
            + "|\"99.5\" is not a whole number from 1 to 100",
        "{gpuHours: 1, per: day, whenSpent: pause}|budget.whenSpent"
            + "|\"pause\" is not one of warn, yield, wait, stop",
        "{gpuHour: 1, per: day}|budget.gpuHour|unknown key \"gpuHour\"",
        "5000|budget|budget must be a mapping of keys to values"
      })
  void eachMistakeIsToldOnceAtItsPlace(String budget, String field, String message) {
    assertThat(problems(budget))
        .extracting(Problem::field, Problem::message)
        .containsExactly(tuple(field, message));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0.0", "-5", "1e3", "many", "0.1234567", "1234567890123", "5,000"})
  void amountsArePositiveDecimalNumbers(String hours) {
    assertThat(problems("{gpuHours: \"%s\", per: day}".formatted(hours)))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.message()).isEqualTo("\"" + hours + "\" is not an amount");
          assertThat(problem.next())
              .isEqualTo(
                  "write a number above 0 such as 5000 or 12000.50, with at most 12 digits and 6"
                      + " decimals");
        });
  }

  @Test
  void aScenarioKeepsBudgetsOfAllLevels() throws Exception {
    String scenario =
        """
        apiVersion: headgate/v1
        kind: Scenario

        configuration:
          tenant: acme
          budget: {cost: 12000.5, currency: EUR, per: year, warnAt: 50, whenSpent: stop}

          departments:
            - name: d
              budget: {gpuHours: 5000, per: month, whenSpent: wait}

          policies:
            - name: p
              group: g
              department: d
              limit: 4
              budget: {gpuHours: 0.5, per: day}

        """;
    ScenarioFile read = ScenarioReader.read("night.yaml", scenario);
    assertThat(read.configuration().budget()).isEqualTo(read(FILE).budget());
    assertThat(ScenarioWriter.write(read, List.of())).isEqualTo(scenario);
  }

  private static List<Problem> problems(String budget) {
    String text = "apiVersion: headgate/v1\nkind: Configuration\nbudget: " + budget + "\n";
    return catchThrowableOfType(ConfigurationException.class, () -> read(text)).problems();
  }

  private static List<String> changed(Change change) {
    return change.fields().entrySet().stream()
        .filter(field -> field.getValue().isChange())
        .map(field -> field.getKey() + " " + text(field.getValue()))
        .toList();
  }

  private static String text(FieldChange change) {
    return change.from() + " -> " + change.to();
  }

  private static Configuration read(String text) throws ConfigurationException {
    return ConfigurationReader.read("acme.yaml", text).configuration();
  }
}
