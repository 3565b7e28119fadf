package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.Duration;
import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.AccessWarning;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.Department;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.Grace;
import io.headgate.proto.policy.v1.ListDepartmentsRequest;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Departments, and the terms of policies that came with them, in the store and on the wire.
final class DepartmentsTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private Acme acme;

  @BeforeEach
  void found() {
    acme = Acme.found(POLICY);
  }

  @Test
  void departmentsComeIntoForceWithTheWholeConfiguration() {
    acme.replace(nested());
    assertThat(acme.configuration().getDepartmentsList())
        .extracting(
            Department::getName,
            Department::getDepartment,
            Department::getReservation,
            Department::getLimit,
            Department::getWeight)
        .containsExactly(
            tuple(department("physics"), "science", "", "", 1),
            tuple(department("science"), "", "12", "24", 3));
    assertThat(acme.configuration().getPoliciesList())
        .filteredOn(policy -> policy.getName().endsWith("/rnd"))
        .extracting(Policy::getDepartment)
        .containsExactly("physics");
    assertThat(
            PolicyServiceGrpc.newBlockingStub(acme.admin())
                .listDepartments(
                    ListDepartmentsRequest.newBuilder().setParent(acme.parent()).build())
                .getDepartmentsList())
        .isEqualTo(acme.configuration().getDepartmentsList());
  }

  @Test
  void aTreeMayBeTurnedAndCutInOneStep() {
    acme.replace(nested());
    AccessConfiguration.Builder turned = nested().clearDepartments();
    turned.addDepartments(Department.newBuilder().setName(department("physics")));
    turned.addDepartments(
        Department.newBuilder().setName(department("science")).setDepartment("physics"));
    acme.replace(turned);
    assertThat(acme.configuration().getDepartmentsList())
        .extracting(Department::getDepartment)
        .containsExactly("", "physics");
    AccessConfiguration.Builder cut = turned.clone().removeDepartments(1);
    assertThat(acme.replace(cut).getConfiguration().getVersion()).isEqualTo(3);
    assertThat(acme.configuration().getDepartmentsCount()).isEqualTo(1);
  }

  @Test
  void aRemovedDepartmentThatAPolicyNamesIsRefused() {
    acme.replace(nested());
    Refusal refusal = PolicyFixture.refusal(() -> acme.replace(nested().removeDepartments(1)));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.violations())
        .extracting(FieldViolation::field, FieldViolation::reason)
        .containsExactly(tuple("policies[rnd].department", "DEPARTMENT_NOT_FOUND"));
    assertThat(refusal.message())
        .isEqualTo("policies[rnd].department: department 'physics' does not exist");
  }

  @Test
  void aCycleIsRefusedWithItsPathAndItsRemedy() {
    AccessConfiguration.Builder cycle = nested();
    cycle.getDepartmentsBuilder(0).setDepartment("physics");
    Refusal refusal = PolicyFixture.refusal(() -> acme.replace(cycle));
    assertThat(refusal.reason()).isEqualTo("DEPARTMENT_CYCLE");
    assertThat(refusal.message())
        .isEqualTo(
            "departments[physics].department: department 'physics' would be above itself (physics in"
                + " science in physics): name another department, or none, for one of these");
  }

  @Test
  void departmentsBelowTheFifthAreRefused() {
    AccessConfiguration.Builder deep = acme.twoTeams();
    for (String id : List.of("a", "b", "c", "d", "e", "f")) {
      Department.Builder next = Department.newBuilder().setName(department(id));
      if (!id.equals("a")) {
        next.setDepartment(String.valueOf((char) (id.charAt(0) - 1)));
      }
      deep.addDepartments(next);
    }
    Refusal refusal = PolicyFixture.refusal(() -> acme.replace(deep));
    assertThat(refusal.reason()).isEqualTo("DEPARTMENT_TOO_DEEP");
    assertThat(refusal.message())
        .isEqualTo(
            "departments[f].department: 6 departments lie inside one another (a > b > c > d > e > f),"
                + " and 5 is the limit: move 'f' up");
  }

  @Test
  void membersThatReserveMoreThanTheirDepartmentAreWarnedOf() {
    acme.bringNodes();
    AccessConfiguration.Builder small = nested();
    small.getDepartmentsBuilder(0).setReservation("4");
    assertThat(acme.replace(small).getWarningsList())
        .containsExactly(
            AccessWarning.newBuilder()
                .setReason("OVERCOMMITTED")
                .setField("departments[science].reservation")
                .setMessage(
                    "the members of department 'science' reserve 5 GPUs together, above its"
                        + " reservation of 4: not all of them can be kept at once")
                .build());
  }

  @Test
  void aPolicyKeepsItsGraceAndItsWaitBeforeItPreempts() {
    acme.group("rnd", "ada");
    Policy made =
        acme.policy(
            "rnd",
            Policy.newBuilder()
                .setGroup("rnd")
                .setLimit("4")
                .setPreemptAfter(Duration.newBuilder().setSeconds(30))
                .setGrace(Grace.newBuilder().setCallback(Duration.newBuilder().setSeconds(60))));
    assertThat(acme.configuration().getPolicies(0)).isEqualTo(made);
    assertThat(made.getPreemptAfter().getSeconds()).isEqualTo(30);
    assertThat(made.getGrace().getCallback().getSeconds()).isEqualTo(60);
    assertThat(made.getGrace().hasTerminate()).isFalse();
    Policy cleared = acme.update(made.toBuilder().clearGrace().build(), "grace");
    assertThat(cleared.hasGrace()).isFalse();
    assertThat(cleared.getPreemptAfter().getSeconds()).isEqualTo(30);
    Refusal refusal =
        PolicyFixture.refusal(() ->
            acme.update(
                made.toBuilder()
                    .setGrace(
                        Grace.newBuilder().setTerminate(Duration.newBuilder().setSeconds(601)))
                    .build(),
                "grace"));
    assertThat(refusal.reason()).isEqualTo("OUT_OF_RANGE");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("policy.grace.terminate");
  }

  @Test
  void aTenantIsRemovedWithItsDepartments() {
    acme.replace(
        AccessConfiguration.newBuilder()
            .addDepartments(Department.newBuilder().setName(department("physics"))));
    TenantServiceGrpc.newBlockingStub(POLICY.operator())
        .deleteTenant(DeleteTenantRequest.newBuilder().setName(acme.parent()).build());
    assertThat(
            PolicyFixture.refusal(() ->
                    AccessConfigurationServiceGrpc.newBlockingStub(POLICY.operator())
                        .getAccessConfiguration(
                            GetAccessConfigurationRequest.newBuilder()
                                .setParent(acme.parent())
                                .build()))
                .reason())
        .isEqualTo("TENANT_NOT_FOUND");
  }

  /// Team rnd, which reserves 5 GPUs, in physics, which is in science.
  private AccessConfiguration.Builder nested() {
    AccessConfiguration.Builder nested = acme.twoTeams();
    nested.getPoliciesBuilder(0).setDepartment("physics");
    return nested
        .addDepartments(
            Department.newBuilder()
                .setName(department("science"))
                .setReservation("12")
                .setLimit("24")
                .setWeight(3))
        .addDepartments(
            Department.newBuilder().setName(department("physics")).setDepartment("science"));
  }

  private String department(String id) {
    return acme.parent() + "/departments/" + id;
  }
}
