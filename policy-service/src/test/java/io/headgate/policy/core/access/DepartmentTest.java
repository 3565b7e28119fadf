package io.headgate.policy.core.access;

import static io.headgate.policy.core.access.Specs.all;
import static io.headgate.policy.core.access.Specs.department;
import static io.headgate.policy.core.access.Specs.group;
import static io.headgate.policy.core.access.Specs.policyOf;
import static io.headgate.policy.core.access.Specs.state;
import static io.headgate.policy.core.access.Specs.supply;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.DepartmentSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessWarning.DepartmentOvercommitted;
import io.headgate.policy.core.access.Replacement.Thoroughness;
import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.Kind;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DepartmentTest {
  private static final Supply SUPPLY = supply(100, Map.of());

  @Test
  void readsADepartmentWithItsDefaults() {
    AccessConfiguration next =
        accepted(
                List.of(
                    department("engineering", "", "", ""),
                    department("ml", "engineering", "4", "8")),
                List.of(policyOf("ml", "rnd", "2")))
            .next();
    assertThat(next.departments())
        .containsExactly(
            new Department(
                new DepartmentId("engineering"),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                1,
                Optional.empty()),
            new Department(
                new DepartmentId("ml"),
                Optional.of(new DepartmentId("engineering")),
                Optional.of(GpuQuantity.ofGpus(4)),
                Optional.of(GpuQuantity.ofGpus(8)),
                1,
                Optional.empty()));
    assertThat(next.policies().getFirst().department()).contains(new DepartmentId("ml"));
  }

  @Test
  void refusesADepartmentAboveItselfOnceForEachCycle() {
    assertThat(
            denied(
                List.of(
                    department("a", "b", "", ""),
                    department("b", "c", "", ""),
                    department("c", "a", "", ""),
                    department("into", "b", "", ""),
                    department("self", "self", "", "")),
                List.of()))
        .containsExactly(
            new Denial.DepartmentCycle("departments[a].department", List.of("a", "b", "c", "a")),
            new Denial.DepartmentCycle("departments[self].department", List.of("self", "self")));
  }

  @Test
  void nestsFiveDeepAndNoDeeper() {
    List<DepartmentSpec> nested = new ArrayList<>();
    nested.add(department("d1", "", "", ""));
    for (int depth = 2; depth <= 5; depth++) {
      nested.add(department("d" + depth, "d" + (depth - 1), "", ""));
    }
    assertThat(accepted(nested, List.of()).next().departments()).hasSize(5);
    nested.add(department("d6", "d5", "", ""));
    nested.add(department("d7", "d6", "", ""));
    assertThat(denied(nested, List.of()))
        .containsExactly(
            new Denial.DepartmentTooDeep(
                "departments[d6].department", List.of("d1", "d2", "d3", "d4", "d5", "d6"), 5));
  }

  @Test
  void refusesDepartmentsThatDoNotExist() {
    assertThat(
            denied(
                List.of(
                    department("ml", "enginering", "", ""), department("engineering", "", "", "")),
                List.of(policyOf("mll", "rnd", "1"))))
        .containsExactlyInAnyOrder(
            new Denial.Unknown(
                "departments[ml].department",
                Kind.DEPARTMENT,
                "enginering",
                Optional.of("engineering")),
            new Denial.Unknown(
                "policies[rnd].department", Kind.DEPARTMENT, "mll", Optional.of("ml")));
  }

  @Test
  void refusesBadNumbersOfADepartment() {
    assertThat(
            denied(
                List.of(
                    department("a", "", "5", "4"),
                    department("b", "", "many", ""),
                    department("c", "", "", "1/11"),
                    new DepartmentSpec("d", "", "", "", 10_001, Optional.empty()),
                    new DepartmentSpec("e", "", "", "", -1, Optional.empty()),
                    department("Bad", "Worse", "", "")),
                List.of()))
        .containsExactly(
            new Denial.ReservationAboveLimit(
                "departments[a].reservation",
                Kind.DEPARTMENT,
                "a",
                GpuQuantity.ofGpus(5),
                GpuQuantity.ofGpus(4)),
            new Denial.MalformedQuantity("departments[b].reservation", "many"),
            new Denial.InexactQuantity(
                "departments[c].limit", "1/11", new GpuQuantity(11_454), new GpuQuantity(11_455)),
            new Denial.OutOfRange("departments[d].weight", "10001", "1", "10000"),
            new Denial.OutOfRange("departments[e].weight", "-1", "1", "10000"),
            new Denial.InvalidName("departments[Bad].name", Kind.DEPARTMENT, "Bad"),
            new Denial.InvalidName("departments[Bad].department", Kind.DEPARTMENT, "Worse"));
  }

  @Test
  void warnsOfMembersThatReserveMoreThanTheirDepartment() {
    AccessDecision.Accepted accepted =
        accepted(
            List.of(
                department("engineering", "", "5", ""),
                department("ml", "engineering", "", ""),
                department("ops", "", "", "3"),
                department("enough", "", "4", "4")),
            List.of(
                policyOf("ml", "train", "2"),
                policyOf("ml", "infer", "2"),
                policyOf("engineering", "build", "3/2"),
                policyOf("ops", "night", "7/2"),
                policyOf("enough", "day", "4")));
    assertThat(accepted.warnings())
        .containsExactly(
            new DepartmentOvercommitted(
                new DepartmentId("engineering"),
                GpuQuantity.parse("11/2").units(),
                GpuQuantity.ofGpus(5),
                false),
            new DepartmentOvercommitted(
                new DepartmentId("ops"),
                GpuQuantity.parse("7/2").units(),
                GpuQuantity.ofGpus(3),
                true));
  }

  @Test
  void membersSeeTheDepartmentsAboveTheirPolicies() {
    AccessConfiguration all =
        accepted(
                List.of(
                    department("engineering", "", "", ""),
                    department("ml", "engineering", "", ""),
                    department("sales", "", "", "")),
                List.of(policyOf("ml", "rnd", "1")))
            .next();
    assertThat(all.seenBy(viewer("devs")).departments())
        .extracting(department -> department.id().value())
        .containsExactly("engineering", "ml");
    assertThat(all.seenBy(viewer("others")).departments()).isEmpty();
  }

  @Test
  void boundsTheGraceOfAPolicyAndItsWaitBeforeItPreempts() {
    assertThat(
            denied(
                List.of(),
                List.of(
                    terms("a", Duration.ofDays(366), Duration.ofSeconds(1801), Duration.ZERO),
                    terms("b", Duration.ofSeconds(-1), Duration.ZERO, Duration.ofSeconds(601)))))
        .containsExactly(
            new Denial.OutOfRange(
                "policies[a].preempt_after", "PT8784H", "0s", "365d in whole milliseconds"),
            new Denial.OutOfRange(
                "policies[a].grace.callback", "PT30M1S", "1ms", "1800s in whole milliseconds"),
            new Denial.OutOfRange(
                "policies[b].preempt_after", "PT-1S", "0s", "365d in whole milliseconds"),
            new Denial.OutOfRange(
                "policies[b].grace.callback", "PT0S", "1ms", "1800s in whole milliseconds"),
            new Denial.OutOfRange(
                "policies[b].grace.terminate", "PT10M1S", "0s", "600s in whole milliseconds"));
  }

  private static PolicySpec terms(
      String id, Duration preemptAfter, Duration callback, Duration terminate) {
    PolicySpec plain = policyOf("", id, "1");
    AccessSpec.TermsSpec terms = plain.terms();
    return new PolicySpec(
        id,
        plain.group(),
        "",
        plain.rights(),
        new AccessSpec.TermsSpec(
            terms.onPreempt(),
            terms.minRuntime(),
            terms.preemptible(),
            terms.preemptWithin(),
            terms.stopAfter(),
            terms.stopAfterNever(),
            Optional.of(preemptAfter),
            new Grace(Optional.of(callback), Optional.of(terminate))),
        Optional.empty(),
        "");
  }

  private static Viewer viewer(String team) {
    return Viewer.member("tenants/acme/users/ada", Set.of(team), Set.of(), false);
  }

  private static AccessDecision.Accepted accepted(
      List<DepartmentSpec> departments, List<PolicySpec> policies) {
    return (AccessDecision.Accepted) decide(departments, policies);
  }

  private static List<Denial> denied(List<DepartmentSpec> departments, List<PolicySpec> policies) {
    return ((AccessDecision.Denied) decide(departments, policies)).denials();
  }

  private static AccessDecision decide(
      List<DepartmentSpec> departments, List<PolicySpec> policies) {
    return Replacement.decide(
        state(AccessConfiguration.EMPTY, SUPPLY),
        all(List.of(group("devs", "ada")), departments, policies, List.of()),
        Thoroughness.CHANGES_ONLY);
  }
}
