package io.headgate.sdk.cli;

import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Department;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// `headgate policies` of a tenant with departments: tables show a tree, all other forms and lists
/// that are sorted or filtered show policies only.
class PoliciesTreeTest {
  private static final TestGate GATE = TestGate.open();

  @TempDir static Path home;

  @BeforeAll
  static void fill() {
    Fixtures.fill(GATE);
    AccessConfiguration.Builder access = GATE.rights.inForce.toBuilder();
    access.getPoliciesBuilder(0).setDepartment("platform");
    access
        .addDepartments(department("engineering").setReservation("12").setLimit("24").setWeight(2))
        .addDepartments(department("platform").setDepartment("engineering").setLimit("8"))
        .addDepartments(department("sales").setReservation("1"));
    GATE.rights.inForce = access.build();
  }

  private static Department.Builder department(String id) {
    return Department.newBuilder().setName("tenants/acme/departments/" + id);
  }

  @AfterAll
  static void close() {
    GATE.close();
  }

  record Case(String name, int width, List<String> words) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> forms() {
    return Stream.of(
        new Case("policies-tree-tty-120", 120, List.of("policies")),
        new Case("policies-tree-pipe", 0, List.of("policies")),
        new Case("policies-tree-wide", 0, List.of("policies", "-o", "wide")),
        new Case("policies-tree-csv", 0, List.of("policies", "-o", "csv")),
        new Case("policies-tree-name", 0, List.of("policies", "-o", "name")),
        new Case("policies-tree-sorted", 0, List.of("policies", "--sort", "used:desc")),
        new Case(
            "policies-tree-filtered",
            0,
            List.of("policies", "--filter", "department=platform", "-o", "columns=policy,limit")),
        new Case("policies-tree-one", 0, List.of("policies", "ai-dev")));
  }

  @ParameterizedTest
  @MethodSource("forms")
  void printsTheReviewedOutput(Case call) {
    TestCli cli = TestCli.at(GATE, home);
    if (call.width() > 0) {
      cli.onTerminal(call.width());
    }
    Golden.check(call.name(), cli.run(call.words().toArray(String[]::new)));
  }
}
