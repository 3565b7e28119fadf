package io.headgate.scheduler.runtime.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.Per;
import io.headgate.scheduler.runtime.record.Budget.Period;
import io.headgate.scheduler.runtime.record.Budget.State;
import io.headgate.scheduler.runtime.record.Budget.WhenSpent;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// When a budget is spent, and whom it restricts. `vision` is a policy of the department `lab` in
/// the department `science`, `ops` is one of the tenant.
class BudgetsTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");
  private static final DepartmentId SCIENCE = new DepartmentId(ACME, "science");
  private static final DepartmentId LAB = new DepartmentId(ACME, "lab");

  private static Budget budget(Level level, String name, String gpuHours, WhenSpent then) {
    return new Budget(
        new Budget.Key(ACME, level, name),
        new BigDecimal(gpuHours),
        Optional.empty(),
        Per.MONTH,
        80,
        then);
  }

  private static Access access(Budget... budgets) {
    return new Access(
        ACME,
        1,
        List.of(),
        List.of(
            new Department(SCIENCE, Optional.empty(), gpus("8"), Optional.empty(), 1),
            new Department(LAB, Optional.of(SCIENCE), gpus("4"), Optional.empty(), 1)),
        List.of(policy("vision", Optional.of(LAB)), policy("ops", Optional.empty())),
        List.of(),
        Map.of(),
        Optional.empty(),
        Access.Roles.UNKNOWN,
        List.of(),
        List.of(budgets));
  }

  private static Optional<GpuQuantity> gpus(String text) {
    return Optional.of(GpuQuantity.parse(text));
  }

  private static Access.Rights policy(String name, Optional<DepartmentId> department) {
    return new Access.Rights(
        Policy.of(new PolicyId(ACME, name), GpuQuantity.ofGpus(2), GpuQuantity.ofGpus(4))
            .with()
            .department(department)
            .build(),
        name,
        Optional.empty(),
        Grace.NONE);
  }

  private static Budgets used(String amount, Budget... budgets) {
    return Budgets.of(
        List.of(budgets).stream()
            .map(budget -> {
              Period period = budget.per().at(NOW);
              return new BudgetUse(
                  budget.key(),
                  budget.currency(),
                  period.start(),
                  period.end(),
                  new BigDecimal(amount),
                  NOW);
            })
            .toList());
  }

  @ParameterizedTest
  @CsvSource({
    "DAY,   2026-11-27T00:00:00Z, 2026-11-28T00:00:00Z",
    "WEEK,  2026-11-23T00:00:00Z, 2026-11-30T00:00:00Z",
    "MONTH, 2026-11-01T00:00:00Z, 2026-12-01T00:00:00Z",
    "YEAR,  2026-01-01T00:00:00Z, 2027-01-01T00:00:00Z"
  })
  void periodsBeginAndEndAtMidnight(Per per, Instant start, Instant end) {
    assertThat(per.at(NOW)).isEqualTo(new Period(start, end));
    assertThat(per.at(start)).isEqualTo(new Period(start, end));
    assertThat(per.at(end.minusMillis(1))).isEqualTo(new Period(start, end));
    assertThat(per.at(end).start()).isEqualTo(end);
  }

  @ParameterizedTest
  @CsvSource({"0, OK", "7.99, OK", "8, WARNED", "9.999999, WARNED", "10, SPENT", "11, SPENT"})
  void warnsAndIsSpentAtItsBounds(String used, State state) {
    assertThat(budget(Level.POLICY, "vision", "10", WhenSpent.WARN).state(new BigDecimal(used)))
        .isEqualTo(state);
  }

  @Test
  void restrictsThePoliciesBelowIt() {
    Budget ofScience = budget(Level.DEPARTMENT, "science", "10", WhenSpent.WAIT);
    assertThat(used("10", ofScience).restrictions(access(ofScience))).containsOnlyKeys("vision");
    Budget ofTenant = budget(Level.TENANT, "acme", "10", WhenSpent.WAIT);
    assertThat(used("10", ofTenant).restrictions(access(ofTenant)))
        .containsOnlyKeys("vision", "ops");
    assertThat(used("9", ofTenant).restrictions(access(ofTenant))).isEmpty();
  }

  @Test
  void onlyWarnsIfThatWasChosen() {
    Budget budget = budget(Level.POLICY, "ops", "10", WhenSpent.WARN);
    assertThat(used("12", budget).restrictions(access(budget))).isEmpty();
  }

  @Test
  void theStrictestOfSeveralHolds() {
    Budget own = budget(Level.POLICY, "vision", "10", WhenSpent.YIELD);
    Budget above = budget(Level.DEPARTMENT, "lab", "10", WhenSpent.STOP);
    Budget top = budget(Level.TENANT, "acme", "10", WhenSpent.YIELD);
    Map<String, Budgets.Restriction> all =
        used("10", own, above, top).restrictions(access(own, above, top));
    assertThat(all.get("vision").budget()).isEqualTo(above);
    assertThat(all.get("vision").spent())
        .isEqualTo(
            new SpentBudget(
                Level.DEPARTMENT,
                "lab",
                "",
                Instant.parse("2026-12-01T00:00:00Z"),
                SpentBudget.Effect.WAIT,
                true));
    assertThat(all.get("ops").budget()).isEqualTo(top);
  }

  @Test
  void aPolicyThatWaitsYieldsTooIfALevelAboveDoes() {
    Budget own = budget(Level.POLICY, "vision", "10", WhenSpent.WAIT);
    Budget above = budget(Level.DEPARTMENT, "science", "10", WhenSpent.YIELD);
    Budgets counted = used("10", own, above);
    Policy vision = counted.policies(access(own, above)).getFirst();
    assertThat(vision.isWaiting()).isTrue();
    assertThat(vision.presentReservation()).isEqualTo(GpuQuantity.ZERO);
    assertThat(counted.departments(access(own, above)))
        .as("those below a department that yields reserve nothing")
        .extracting(Department::reservation)
        .containsOnly(gpus("0"));
  }

  @Test
  void tellsTheAmountOfAPolicysOwnBudgetOnly() {
    Budget own = budget(Level.POLICY, "vision", "10", WhenSpent.WAIT);
    assertThat(used("10", own).restrictions(access(own)).get("vision").spent().amount())
        .isEqualTo("10 GPU-hours");
    Budget top = budget(Level.TENANT, "acme", "10", WhenSpent.WAIT);
    assertThat(used("10", top).restrictions(access(top)).get("vision").spent().sentence())
        .isEqualTo("the budget of tenant acme is spent until 2026-12-01T00:00:00Z");
  }

  @Test
  void theLowestOfEqualOnesIsNamed() {
    Budget own = budget(Level.POLICY, "vision", "10", WhenSpent.WAIT);
    Budget top = budget(Level.TENANT, "acme", "10", WhenSpent.WAIT);
    assertThat(used("10", own, top).restrictions(access(own, top)).get("vision").budget())
        .isEqualTo(own);
  }

  @Test
  void aRaisedBudgetIsInForceBeforeItIsCountedAgain() {
    Budget budget = budget(Level.POLICY, "ops", "10", WhenSpent.WAIT);
    Budgets counted = used("10", budget);
    assertThat(counted.restrictions(access(budget))).hasSize(1);
    assertThat(counted.restrictions(access(budget(Level.POLICY, "ops", "11", WhenSpent.WAIT))))
        .isEmpty();
  }

  @Test
  void aCountOfAnotherUnitOrPeriodSaysNothing() {
    Budget budget = budget(Level.POLICY, "ops", "10", WhenSpent.WAIT);
    Budgets counted = used("10", budget);
    Budget money =
        new Budget(budget.key(), BigDecimal.TEN, Optional.of("EUR"), Per.MONTH, 80, WhenSpent.WAIT);
    Budget daily =
        new Budget(budget.key(), BigDecimal.TEN, Optional.empty(), Per.DAY, 80, WhenSpent.WAIT);
    assertThat(counted.state(money)).isEmpty();
    assertThat(counted.state(daily)).isEmpty();
    assertThat(counted.restrictions(access(money))).isEmpty();
  }

  @Test
  void aDepartmentThatYieldsReservesNothing() {
    Budget ofLab = budget(Level.DEPARTMENT, "lab", "10", WhenSpent.YIELD);
    Budgets counted = used("10", ofLab);
    assertThat(counted.departments(access(ofLab)))
        .extracting(each -> each.id().name(), Department::reservation)
        .containsExactly(tuple("science", gpus("8")), tuple("lab", gpus("0")));
    assertThat(counted.policies(access(ofLab)))
        .extracting(each -> each.presentReservation().toString())
        .containsExactly("0", "2");
  }
}
