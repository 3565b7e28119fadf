package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.text.CheckText;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A3: departments come, go, move and change while jobs run, and explanations name them.
class DepartmentTest {
  /// Eight GPUs; `vision` and `speech` in `engineering`, `chemistry` in none.
  private static TenantBuilder company() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("vision", "2", "8")
        .policy("speech", "2", "8")
        .policy("chemistry", "4", "8")
        .queue("v", "vision", "one", 1)
        .queue("s", "speech", "one", 1)
        .queue("c", "chemistry", "one", 1)
        .department("engineering", "4", "5", 1, "")
        .in("engineering", "vision")
        .in("engineering", "speech");
  }

  private static Driver with(TenantBuilder company) {
    return new Driver(company).join(Driver.node("n", "pool", 8));
  }

  private static List<String> texts(List<Check> checks) {
    return checks.stream()
        .map(
            check -> check.rule() + " " + check.title() + ": " + CheckText.of(check, Viewer.OF_ALL))
        .toList();
  }

  @Test
  void theReasonAndTheExplanationNameTheDepartmentWhoseLimitBinds() {
    Driver it = with(company());
    it.submit("v", "a", "b", "c", "d", "e", "f").settle();
    assertThat(it.reason("f"))
        .isEqualTo(
            new Reason.DepartmentLimit(
                TenantBuilder.departmentId("engineering"),
                GpuQuantity.parse("5"),
                GpuQuantity.ONE,
                GpuQuantity.parse("5")));
    assertThat(ReasonText.detail(it.reason("f")))
        .hasToString("{department=engineering, usage=5, need=1, limit=5}");
    assertThat(it.reason("f").code()).isEqualTo("LIMIT");
    assertThat(texts(it.core.explain(it.id("f")).orElseThrow().starts()))
        .contains("A3 department limit: engineering uses 5 + needs 1 = 6 > 5");
  }

  @Test
  void aDepartmentThatIsGoneLimitsNothing() {
    TenantBuilder company = company();
    Driver it = with(company);
    it.submit("v", "a", "b", "c", "d", "e", "f").settle();
    assertThat(it.state("f")).isEqualTo(JobState.WAITING);
    it.provision(company.withoutDepartment("engineering")).settle();
    assertThat(it.state("f")).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aNewDepartmentCountsWhatItsPoliciesUseAlready() {
    TenantBuilder company = company().withoutDepartment("engineering");
    Driver it = with(company);
    it.submit("v", "a", "b", "c", "d", "e").settle();
    it.provision(company.department("engineering", "4", "5", 1, "")).settle();
    it.submit("v", "f").settle();
    assertThat(it.reason("f").code()).isEqualTo("LIMIT");
    // The department is above its reservation now, and gives what it has above.
    it.submit("c", "k", "l", "m", "n").settle();
    assertThat(it.in(JobState.RUNNING)).contains("a", "b", "c", "d", "k", "l", "m", "n");
    assertThat(it.state("e")).isEqualTo(JobState.WAITING);
  }

  @Test
  void aPolicyTakesItsUsageToItsNewDepartment() {
    TenantBuilder company = company().department("science", "4", "4", 1, "");
    Driver it = with(company);
    it.submit("v", "a", "b", "c", "d").settle();
    it.provision(company.in("science", "vision")).submit("v", "e").submit("s", "x", "y").settle();
    assertThat(it.reason("e"))
        .isInstanceOfSatisfying(
            Reason.DepartmentLimit.class,
            limit -> assertThat(limit.department().name()).isEqualTo("science"));
    assertThat(it.in(JobState.RUNNING)).contains("x", "y");
  }

  @Test
  void aTakeOverKnowsTheUsageOfDepartments() {
    Driver it = with(company());
    it.submit("v", "a", "b", "c", "d", "e").settle();
    SchedulerCore copy = it.core.copy();
    assertThat(copy.decide(List.of(), it.now).effects()).isEmpty();
    it.submit("s", "x").settle();
    // Within the limit of the department there is room for x only without e.
    assertThat(it.in(JobState.RUNNING)).containsExactly("a", "b", "c", "d", "x");
  }

  @Test
  void whatRunsSaysThatOtherDepartmentsMayTakeIt() {
    Driver it = with(company().department("engineering", "2", "", 1, ""));
    it.submit("v", "a", "b", "c").settle();
    assertThat(texts(it.core.explain(it.id("c")).orElseThrow().exposure()))
        .contains(
            "A3 department reservation: may be a victim of an entitled job:"
                + " department engineering 3, reservation 2");
    assertThat(Optional.of(it.state("c"))).contains(JobState.RUNNING);
  }
}
