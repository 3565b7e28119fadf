package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.policy.core.name.TenantId;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.Budget;
import io.headgate.proto.policy.v1.DeletePolicyRequest;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.Department;
import io.headgate.proto.policy.v1.ListDepartmentsRequest;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.pool.v1.Pool;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Budgets of policies, departments and tenants, in the store and on the wire.
final class BudgetsTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static final Budget TIME =
      Budget.newBuilder()
          .setGpuHours("5000")
          .setPer(Budget.Per.PER_MONTH)
          .setWarnAt(80)
          .setWhenSpent(Budget.WhenSpent.WHEN_SPENT_WAIT)
          .build();
  private static final Budget MONEY =
      Budget.newBuilder()
          .setCost("12000.5")
          .setCurrency("EUR")
          .setPer(Budget.Per.PER_YEAR)
          .setWarnAt(50)
          .setWhenSpent(Budget.WhenSpent.WHEN_SPENT_YIELD)
          .build();

  private Acme acme;

  @BeforeEach
  void found() {
    acme = Acme.found(POLICY);
  }

  @Test
  void budgetsOfAllLevelsComeIntoForceWithTheWholeConfiguration() {
    acme.replace(budgeted());
    assertThat(acme.configuration().getBudget()).isEqualTo(TIME);
    assertThat(acme.configuration().getDepartments(0).getBudget()).isEqualTo(MONEY);
    assertThat(acme.configuration().getPoliciesList())
        .extracting(Policy::getBudget)
        .containsExactly(Budget.getDefaultInstance(), MONEY);
    AccessConfiguration read = acme.configuration();
    assertThat(acme.replace(read.toBuilder()).getConfiguration().getVersion())
        .as("what was read changes nothing")
        .isEqualTo(read.getVersion());
  }

  @Test
  void aBudgetInACurrencyThatNoPoolPricesInIsWarnedAbout() {
    String nothingCounts = "no pool has a price in EUR, so nothing counts in this budget; ";
    assertThat(warnings(acme.resources().getPools(0)))
        .containsExactly(
            tuple(
                "departments[science].budget.currency",
                nothingCounts + "set pricePerGpuHour and currency of the pools"),
            tuple(
                "policies[rnd].budget.currency",
                nothingCounts + "set pricePerGpuHour and currency of the pools"));
    Pool.Builder priced =
        acme.resources().getPools(0).toBuilder().setPricePerGpuHour("1.20").setCurrency("USD");
    assertThat(warnings(priced.build()))
        .contains(
            tuple("policies[rnd].budget.currency", nothingCounts + "their prices are in USD"));
    assertThat(warnings(priced.setCurrency("EUR").build())).isEmpty();
    assertThat(warnings(priced.clearPricePerGpuHour().build()))
        .as("a currency alone is no price")
        .hasSize(2);
  }

  /// The warnings about currencies, if the tenant had only that pool.
  private List<Tuple> warnings(Pool pool) {
    return acme
        .replace(
            ReplaceAccessConfigurationRequest.newBuilder()
                .setConfiguration(budgeted())
                .setValidateOnly(true)
                .setResourceConfiguration(acme.resources().toBuilder().setPools(0, pool)))
        .getWarningsList()
        .stream()
        .filter(each -> each.getReason().equals("UNPRICED_BUDGET"))
        .map(each -> tuple(each.getField(), each.getMessage()))
        .toList();
  }

  @Test
  void aBudgetHasDefaultsAndAFormOfItsOwn() {
    Budget least = Budget.newBuilder().setGpuHours("007.50").setPer(Budget.Per.PER_DAY).build();
    acme.replace(AccessConfiguration.newBuilder().setBudget(least));
    assertThat(acme.configuration().getBudget())
        .isEqualTo(
            least.toBuilder()
                .setGpuHours("7.5")
                .setWarnAt(80)
                .setWhenSpent(Budget.WhenSpent.WHEN_SPENT_WARN)
                .build());
  }

  @Test
  void oneFieldOfABudgetChanges() {
    acme.replace(budgeted());
    AccessConfiguration.Builder raised = budgeted();
    raised.getBudgetBuilder().setGpuHours("6000");
    raised.getDepartmentsBuilder(0).getBudgetBuilder().setWarnAt(60);
    raised.getPoliciesBuilder(0).getBudgetBuilder().setPer(Budget.Per.PER_WEEK);
    acme.replace(raised);
    assertThat(acme.configuration().getBudget().getGpuHours()).isEqualTo("6000");
    assertThat(acme.configuration().getDepartments(0).getBudget().getWarnAt()).isEqualTo(60);
    assertThat(policy("rnd").getBudget().getPer()).isEqualTo(Budget.Per.PER_WEEK);
    assertThat(changesOf("UpdateBudget"))
        .containsExactly(
            "budget.gpu_hours,budget.per,budget.warn_at,budget.when_spent ,,, 5000,month,80,wait",
            "budget.gpu_hours 5000 6000");
    assertThat(changesOf("UpdateDepartment")).containsExactly("budget.warn_at 50 60");
    assertThat(changesOf("UpdatePolicy")).containsExactly("budget.per year week");
  }

  @Test
  void budgetsThatAConfigurationLeavesOutAreGone() {
    acme.replace(budgeted());
    AccessConfiguration.Builder plain = budgeted().clearBudget();
    plain.getDepartmentsBuilder(0).clearBudget();
    plain.getPoliciesBuilder(0).clearBudget();
    acme.replace(plain);
    assertThat(acme.configuration().hasBudget()).isFalse();
    assertThat(acme.configuration().getDepartments(0).hasBudget()).isFalse();
    assertThat(policy("rnd").hasBudget()).isFalse();
    assertThat(rows()).isZero();
  }

  @Test
  void anUpdateOfOtherFieldsLeavesTheBudget() {
    acme.replace(budgeted());
    Policy old = policy("rnd").toBuilder().clearBudget().setWeight(3).build();
    assertThat(acme.update(old, "weight").getBudget()).isEqualTo(MONEY);
    Policy warned = old.toBuilder().setBudget(Budget.newBuilder().setWarnAt(90)).build();
    assertThat(acme.update(warned, "budget.warn_at").getBudget())
        .isEqualTo(MONEY.toBuilder().setWarnAt(90).build());
    assertThat(acme.update(old, "budget").hasBudget()).isFalse();
    Policy next = acme.update(old.toBuilder().setBudget(TIME).build(), "budget");
    assertThat(next.getBudget()).isEqualTo(TIME);
    assertThat(policy("rnd")).isEqualTo(next);
  }

  @Test
  void aBudgetGoesWithItsPolicyDepartmentAndTenant() {
    acme.replace(budgeted());
    assertThat(rows()).isEqualTo(3);
    PolicyServiceGrpc.newBlockingStub(acme.admin())
        .deletePolicy(
            DeletePolicyRequest.newBuilder().setName(acme.parent() + "/policies/rnd").build());
    assertThat(rows()).isEqualTo(2);
    acme.replace(AccessConfiguration.newBuilder().setBudget(TIME));
    assertThat(rows()).isEqualTo(1);
    TenantServiceGrpc.newBlockingStub(POLICY.operator())
        .deleteTenant(DeleteTenantRequest.newBuilder().setName(acme.parent()).build());
    assertThat(rows()).isZero();
  }

  @Test
  void membersSeeTheBudgetsOfTheirGroupsPolicies() {
    acme.replace(budgeted());
    var member = PolicyServiceGrpc.newBlockingStub(POLICY.member(acme.id()));
    assertThat(
            member
                .listPolicies(ListPoliciesRequest.newBuilder().setParent(acme.parent()).build())
                .getPoliciesList())
        .extracting(Policy::getBudget)
        .containsExactly(MONEY);
    assertThat(
            member
                .listDepartments(
                    ListDepartmentsRequest.newBuilder().setParent(acme.parent()).build())
                .getDepartmentsList())
        .extracting(Department::getDepartment, Department::hasBudget)
        .containsExactly(tuple("", false));
  }

  @Test
  void wrongBudgetsAreRefusedByFieldTogether() {
    AccessConfiguration.Builder wrong = budgeted();
    wrong.getBudgetBuilder().setGpuHours("none");
    wrong.getDepartmentsBuilder(0).getBudgetBuilder().setCurrency("QQQ");
    wrong.getPoliciesBuilder(0).getBudgetBuilder().setGpuHours("1");
    Refusal refusal = PolicyFixture.refusal(() -> acme.replace(wrong));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field, FieldViolation::reason, FieldViolation::description)
        .containsExactlyInAnyOrder(
            tuple(
                "budget.gpu_hours",
                "MALFORMED_AMOUNT",
                "'none' is not the amount of a budget: write a number above 0 such as 5000 or"
                    + " 12000.50, with at most 12 digits and 6 decimals"),
            tuple(
                "departments[science].budget.currency",
                "UNKNOWN_CURRENCY",
                "'QQQ' is no ISO 4217 code: write USD or EUR"),
            tuple(
                "policies[rnd].budget.cost",
                "CONTRADICTION",
                "a budget bounds gpu_hours or cost: leave one of the two out"));
  }

  @Test
  void aBudgetWithoutAPeriodIsRefused() {
    acme.group("rnd");
    Refusal refusal =
        PolicyFixture.refusal(() ->
            acme.policy(
                "rnd",
                Policy.newBuilder()
                    .setGroup("rnd")
                    .setLimit("1")
                    .setBudget(Budget.newBuilder().setGpuHours("1"))));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field, FieldViolation::description)
        .containsExactly(
            tuple(
                "policy.budget.per",
                "is not set: use one of PER_DAY, PER_WEEK, PER_MONTH, PER_YEAR"));
  }

  @Test
  void theOwnerOfSharedPoolsHasNoBudget() {
    var platform = AccessConfigurationServiceGrpc.newBlockingStub(POLICY.operator());
    Refusal refusal =
        PolicyFixture.refusal(() ->
            platform.replaceAccessConfiguration(
                ReplaceAccessConfigurationRequest.newBuilder()
                    .setParent("tenants/" + TenantId.PLATFORM)
                    .setConfiguration(AccessConfiguration.newBuilder().setBudget(TIME))
                    .build()));
    assertThat(refusal.reason()).isEqualTo("PLATFORM_HAS_NO_RIGHTS");
  }

  /// A budget of the tenant, of department science, and of policy rnd in it, to which ada belongs.
  private AccessConfiguration.Builder budgeted() {
    AccessConfiguration.Builder all = acme.twoTeams().setBudget(TIME);
    all.getPoliciesBuilder(0).setDepartment("science").setBudget(MONEY);
    return all.addDepartments(
        Department.newBuilder().setName(acme.parent() + "/departments/science").setBudget(MONEY));
  }

  private Policy policy(String id) {
    return acme.configuration().getPoliciesList().stream()
        .filter(policy -> policy.getName().endsWith("/" + id))
        .findFirst()
        .orElseThrow();
  }

  private int rows() {
    return POSTGRES
        .database()
        .jooq()
        .fetchCount(
            org.jooq.impl.DSL.table("budgets"), org.jooq.impl.DSL.field("tenant_id").eq(acme.id()));
  }

  /// The changed fields of the audit log's entries of an action, each with both values.
  private List<String> changesOf(String action) {
    return POSTGRES
        .database()
        .jooq()
        .fetch(
            "select fields, before, after from audit_log where tenant_id = ? and action = ?",
            acme.id(),
            action)
        .stream()
        .map(row ->
            String.join(
                " ",
                Arrays.stream(new String[] {"fields", "before", "after"})
                    .map(column -> String.join(",", row.get(column, String[].class)))
                    .toList()))
        .toList();
  }
}
