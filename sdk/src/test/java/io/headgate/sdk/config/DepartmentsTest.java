package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Departments, and the options of pools and policies by which jobs share GPUs.
class DepartmentsTest {
  private static final String BODY =
      """
      pools:
        - {name: h100, promoteAfter: 24h, consolidate: true, fairness: {halfLife: 168h}}
      profiles:
        - {name: one, gpus: 1, pools: [h100], reclaim: fair}
      departments:
        - {name: engineering, reservation: 12, limit: 24, weight: 2}
        - {name: platform, department: engineering, reservation: 4}
        - {name: sales}
      policies:
        - name: ai-dev
          group: ai-dev
          department: platform
          limit: 10
          preemptAfter: 30s
          grace: {callback: 60s, terminate: 5s}
          queues: [{name: ai-dev-one, profile: one}]
        - {name: plain, group: ai-dev, limit: 1, grace: {terminate: 0s}}
      """;
  private static final String FILE =
      "apiVersion: headgate/v1\nkind: Configuration\ngroups: [{name: ai-dev, users: [ada]}]\n"
          + BODY;

  @Test
  void readsEveryKey() throws Exception {
    Configuration read = ConfigurationReader.read("acme.yaml", FILE).configuration();
    assertThat(read.departments())
        .containsExactly(
            new Department(
                "engineering", null, GpuQuantity.ofGpus(12), GpuQuantity.ofGpus(24), 2, null, null),
            new Department("platform", "engineering", GpuQuantity.ofGpus(4), null, 1, null, null),
            new Department("sales", null, null, null, 1, null, null));
    assertThat(read.pools().getFirst().rules())
        .isEqualTo(new Pool.Rules(Duration.ofHours(24), true, Duration.ofHours(168)));
    assertThat(read.profiles().getFirst().reclaim()).isEqualTo(Profile.Reclaim.FAIR);
    Policy policy = read.policies().getFirst();
    assertThat(policy.department()).isEqualTo("platform");
    assertThat(policy.preemptAfter()).isEqualTo(Duration.ofSeconds(30));
    assertThat(policy.grace())
        .isEqualTo(new Policy.Grace(Duration.ofSeconds(60), Duration.ofSeconds(5)));
    assertThat(read.policies().getLast().grace()).isEqualTo(new Policy.Grace(null, Duration.ZERO));
  }

  @Test
  void leavesOutWhatIsNotStated() throws Exception {
    Configuration read =
        ConfigurationReader.read(
                "acme.yaml",
                "apiVersion: headgate/v1\nkind: Configuration\ngroups: [{name: g}]\n"
                    + "pools: [{name: p}]\npolicies: [{name: a, group: g, limit: 1}]\n")
            .configuration();
    assertThat(read.departments()).isEmpty();
    assertThat(read.pools().getFirst().rules()).isEqualTo(Pool.Rules.DEFAULT);
    assertThat(read.policies().getFirst().department()).isNull();
    assertThat(read.policies().getFirst().preemptAfter()).isEqualTo(Duration.ZERO);
    assertThat(read.policies().getFirst().grace()).isEqualTo(Policy.Grace.NONE);
    assertThat(ConfigurationWriter.write(read))
        .doesNotContain("departments", "grace", "preemptAfter", "fairness", "consolidate");
  }

  @Test
  void whatIsWrittenReadsBackEqual() throws Exception {
    Configuration read = ConfigurationReader.read("acme.yaml", FILE).configuration();
    String written = ConfigurationWriter.write(read);
    assertThat(ConfigurationReader.read("again.yaml", written).configuration()).isEqualTo(read);
    assertThat(written)
        .contains(
            """
            departments:
              - name: engineering
                reservation: 12
                limit: 24
                weight: 2
              - name: platform
                department: engineering
                reservation: 4
              - name: sales
            """,
            """
                grace:
                  callback: 1m
                  terminate: 5s
            """,
            """
                promoteAfter: 24h
                consolidate: true
                fairness:
                  halfLife: 168h
            """);
  }

  @Test
  void aChangeIsTheFieldsThatDiffer() throws Exception {
    Configuration before = ConfigurationReader.read("acme.yaml", FILE).configuration();
    Configuration after =
        ConfigurationReader.read(
                "acme.yaml",
                FILE.replace("limit: 24, weight: 2", "limit: 20")
                    .replace("  - {name: sales}\n", "")
                    .replace("consolidate: true, ", "")
                    .replace("callback: 60s, ", "")
                    .replace("department: platform", "department: engineering"))
            .configuration();
    ConfigurationDiff diff = ConfigurationDiff.between(before, after);
    assertThat(diff.changes())
        .extracting(change -> change.kind() + " " + change.name() + " " + change.action())
        .containsExactly(
            "POOL h100 CHANGED",
            "DEPARTMENT engineering CHANGED",
            "DEPARTMENT sales REMOVED",
            "POLICY ai-dev CHANGED");
    assertThat(changed(diff, 0)).containsExactly("consolidate: true -> false");
    assertThat(changed(diff, 1)).containsExactly("limit: 24 -> 20", "weight: 2 -> 1");
    assertThat(changed(diff, 3))
        .containsExactly("department: platform -> engineering", "grace.callback: 1m -> -");
    assertThat(diff.changesAccess()).isTrue();
  }

  private static List<String> changed(ConfigurationDiff diff, int index) {
    return diff.changes().get(index).fields().entrySet().stream()
        .filter(field -> field.getValue().isChange())
        .map(field ->
            field.getKey() + ": " + field.getValue().from() + " -> " + field.getValue().to())
        .toList();
  }

  /// Each valid text is replaced by an invalid one. Lines count from the top of the file.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "weight: 2 | weight: 0 | 9 | BAD_VALUE | departments[engineering].weight | 0 | write a"
            + " number from 1 to 10000",
        "weight: 2 | weight: 10001 | 9 | BAD_VALUE | departments[engineering].weight | 10001 | -",
        "reservation: 12 | reservation: 25 | 9 | RESERVATION_ABOVE_LIMIT |"
            + " departments[engineering].reservation | 25 | lower the reservation to 24, or raise"
            + " the limit",
        "department: engineering | department: enginering | 10 | DEPARTMENT_NOT_FOUND |"
            + " departments[platform].department | enginering | did you mean engineering?",
        "department: engineering | department: platform | 10 | DEPARTMENT_CYCLE |"
            + " departments[platform].department | platform | name another department, or none, for"
            + " one of these",
        "limit: 24, weight: 2 | department: platform | 9 | DEPARTMENT_CYCLE |"
            + " departments[engineering].department | platform | -",
        "department: platform | department: platfrom | 15 | DEPARTMENT_NOT_FOUND |"
            + " policies[ai-dev].department | platfrom | did you mean platform?",
        "{name: sales} | {name: platform} | 11 | NAME_TAKEN | departments[platform].name | platform"
            + " | rename or remove one of them",
        "{name: sales} | {name: sales, group: g} | 11 | UNKNOWN_KEY | departments[sales].group |"
            + " group | -",
        "{name: sales} | {name: sales, tenant: t} | 11 | UNKNOWN_KEY | departments[sales].tenant |"
            + " tenant | -",
        "promoteAfter: 24h | promoteAfter: 0s | 5 | BAD_VALUE | pools[h100].promoteAfter | 0s |"
            + " write a duration of 1s to 365d",
        "{halfLife: 168h} | {halfLife: 400d} | 5 | BAD_VALUE | pools[h100].fairness.halfLife | 400d"
            + " | -",
        "{halfLife: 168h} | {} | 5 | MISSING_KEY | pools[h100].fairness.halfLife | - | say when"
            + " past use counts half: halfLife: 168h",
        "reclaim: fair | reclaim: fairly | 7 | BAD_VALUE | profiles[one].reclaim | fairly | did you"
            + " mean fair?",
        "callback: 60s | callback: 31m | 18 | BAD_VALUE | policies[ai-dev].grace.callback | 31m |"
            + " write a duration of 1ms to 30m",
        "terminate: 5s | terminate: 601s | 18 | BAD_VALUE | policies[ai-dev].grace.terminate | 601s"
            + " | -",
        "preemptAfter: 30s | preemptAfter: soon | 17 | BAD_VALUE | policies[ai-dev].preemptAfter |"
            + " soon | -"
      })
  void refusesAMistake(
      String right,
      String wrong,
      int line,
      String reason,
      String field,
      String value,
      String next) {
    assertThat(FILE).contains(right);
    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () -> ConfigurationReader.read("acme.yaml", FILE.replaceFirst(quoted(right), wrong)));
    assertThat(refusal).as("accepted").isNotNull();
    assertThat(refusal.problems()).as(refusal.toString()).hasSize(1);
    Problem problem = refusal.problems().getFirst();
    assertThat(problem.reason()).as(problem.toString()).isEqualTo(reason);
    assertThat(problem.field()).as(problem.toString()).isEqualTo(field);
    assertThat(problem.value()).isEqualTo(value);
    assertThat(problem.span()).isNotNull();
    assertThat(problem.span().line()).isEqualTo(line);
    if (next != null) {
      assertThat(problem.next()).isEqualTo(next);
    }
  }

  private static String quoted(String text) {
    return java.util.regex.Pattern.quote(text);
  }

  @Test
  void nestsFiveDeepAndNoDeeper() throws Exception {
    StringBuilder nested = new StringBuilder("apiVersion: headgate/v1\nkind: Configuration\n");
    nested.append("departments:\n  - {name: d1}\n");
    for (int depth = 2; depth <= 5; depth++) {
      nested.append("  - {name: d%d, department: d%d}\n".formatted(depth, depth - 1));
    }
    String five = nested.toString();
    assertThat(ConfigurationReader.read("acme.yaml", five).configuration().departments())
        .hasSize(5);
    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () ->
                ConfigurationReader.read(
                    "acme.yaml",
                    five + "  - {name: d6, department: d5}\n  - {name: d7, department: d6}\n"));
    assertThat(refusal.problems())
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.reason()).isEqualTo("DEPARTMENT_TOO_DEEP");
          assertThat(problem.field()).isEqualTo("departments[d6].department");
          assertThat(problem.note()).isEqualTo("d1 > d2 > d3 > d4 > d5 > d6");
          assertThat(problem.next())
              .isEqualTo("move it up: at most 5 departments lie inside one another");
        });
  }

  @Test
  void aScenarioHasThemToo() throws Exception {
    String scenario =
        """
        apiVersion: headgate/v1
        kind: Scenario
        configuration:
          pools: [{name: p}]
          profiles: [{name: one, gpus: 1, pools: [p]}]
          tenants: [{name: acme}]
          departments: [{name: eng, tenant: acme, limit: 4}]
          policies:
            - {name: a, tenant: acme, department: eng, limit: 4, queues: [{name: q, profile: one}]}
        nodes: [{name: n, pool: p, gpus: 4}]
        events:
          - {at: 0s, submit: {queue: q, job: j, movable: true}}
          - {at: 1s, set: {department: eng, limit: 2}}
          - {at: 2s, set: {policy: a, preemptAfter: 10s}}
          - {at: 3s, set: {pool: p, promoteAfter: 1h}}
        """;
    ScenarioFile read = ScenarioReader.read("departments.yaml", scenario);
    assertThat(read.configuration().departments())
        .containsExactly(new Department("eng", null, null, GpuQuantity.ofGpus(4), 1, null, "acme"));
    assertThat(read.events().getFirst().action())
        .isInstanceOfSatisfying(
            ScenarioFile.Action.Submit.class,
            submit -> assertThat(submit.job().movable()).isTrue());
    assertThat(configuration(read, 1).departments().getFirst().limit())
        .isEqualTo(GpuQuantity.ofGpus(2));
    assertThat(configuration(read, 2).policies().getFirst().preemptAfter())
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(configuration(read, 2).policies().getFirst().department()).isEqualTo("eng");
    assertThat(configuration(read, 3).pools().getFirst().rules().promoteAfter())
        .isEqualTo(Duration.ofHours(1));
    ScenarioFile start =
        ScenarioReader.read("start.yaml", scenario.substring(0, scenario.indexOf("events:")));
    assertThat(
            ScenarioReader.read("again.yaml", ScenarioWriter.write(start, List.of()))
                .configuration())
        .isEqualTo(start.configuration());
  }

  @Test
  void aDepartmentOfAnotherTenantIsRefused() {
    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () ->
                ScenarioReader.read(
                    "departments.yaml",
                    """
                    apiVersion: headgate/v1
                    kind: Scenario
                    configuration:
                      pools: [{name: p}]
                      profiles: [{name: one, gpus: 1, pools: [p]}]
                      tenants: [{name: acme}, {name: globex}]
                      departments:
                        - {name: eng, tenant: acme}
                        - {name: sub, tenant: globex, department: eng}
                      policies:
                        - {name: a, department: eng, limit: 4, queues: [{name: q, profile: one}]}
                    nodes: [{name: n, pool: p, gpus: 4}]
                    """));
    assertThat(refusal.problems())
        .extracting(Problem::reason, Problem::field, Problem::note)
        .containsExactly(
            tuple(
                "DEPARTMENT_NOT_FOUND",
                "configuration.departments[sub].department",
                "of tenant acme"),
            tuple(
                "DEPARTMENT_NOT_FOUND", "configuration.policies[a].department", "of tenant acme"));
  }

  private static Configuration configuration(ScenarioFile scenario, int event) {
    return ((ScenarioFile.Action.Configure) scenario.events().get(event).action()).configuration();
  }
}
