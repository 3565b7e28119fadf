package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tenants that share pools, as scenarios have them.
class TenantsTest {
  private static final String TEXT =
      """
      apiVersion: headgate/v1
      kind: Scenario
      configuration:
        tenants:
          - {name: acme, shares: [{pool: h100, reservation: 4, limit: 7, weight: 2}]}
          - {name: globex, shares: [{pool: h100, reservation: 1/2}, {pool: a100, limit: 3}]}
          - {name: idle}
        pools: [{name: h100}, {name: a100}]
        profiles: [{name: one, gpus: 1, pools: [h100, a100]}]
        policies:
          - {name: vision, tenant: acme, reservation: 4, limit: 8, queues: [{name: v, profile: one}]}
          - {name: own, limit: 8, queues: [{name: o, profile: one}]}
      nodes: [{name: n, pool: h100, gpus: 8}]
      events:
        - {at: 40s, set: {tenant: globex, shares: [{pool: h100, reservation: 2}]}}
      """;

  @Test
  void whatIsWrittenReadsBackEqual() throws Exception {
    // A written scenario has no events.
    ScenarioFile scenario =
        ScenarioReader.read("tenants.yaml", TEXT.substring(0, TEXT.indexOf("events:")));
    assertThat(scenario.configuration().tenants()).hasSize(3);
    assertThat(scenario.configuration().policies())
        .extracting(Policy::tenant)
        .containsExactly("acme", null);
    ScenarioFile again =
        ScenarioReader.read("again.yaml", ScenarioWriter.write(scenario, List.of("again")));
    assertThat(again.configuration()).isEqualTo(scenario.configuration());
  }

  /// Each valid text is replaced by an invalid one.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{name: idle} | {} | 7 | MISSING_KEY | configuration.tenants[2].name | - | give the tenant"
            + " a name",
        "name: idle | name: Idle | 7 | BAD_NAME | configuration.tenants[2].name | Idle | -",
        "name: idle | name: globex | 7 | NAME_TAKEN | configuration.tenants[globex].name | globex |"
            + " rename or remove one of them",
        "{name: idle} | idle | 7 | WRONG_TYPE | configuration.tenants[2] | - | -",
        "{name: idle} | {name: idle, weight: 2} | 7 | UNKNOWN_KEY |"
            + " configuration.tenants[idle].weight | weight | -",
        "{name: idle} | {name: idle, shares: {pool: h100}} | 7 | WRONG_TYPE |"
            + " configuration.tenants[idle].shares | - | -",
        "{pool: h100, reservation: 4, limit: 7 | {reservation: 4, limit: 7 | 5 | MISSING_KEY |"
            + " configuration.tenants[acme].shares[0].pool | - | name the pool that is shared",
        "{pool: h100, reservation: 4, limit: 7 | {pool: h10, reservation: 4, limit: 7 | 5 |"
            + " POOL_NOT_FOUND | configuration.tenants[acme].shares[0].pool | h10 | did you mean"
            + " h100?",
        "{pool: a100, limit: 3} | {pool: h100, limit: 3} | 6 | DUPLICATE_NAME |"
            + " configuration.tenants[globex].shares[1].pool | h100 | keep one of them",
        "reservation: 1/2 | reservation: 1/11 | 6 | INEXACT_QUANTITY |"
            + " configuration.tenants[globex].shares[0].reservation | 1/11 | -",
        "reservation: 1/2 | reservation: -1 | 6 | BAD_VALUE |"
            + " configuration.tenants[globex].shares[0].reservation | -1 | -",
        "reservation: 4, limit: 7 | reservation: 8, limit: 7 | 5 | RESERVATION_ABOVE_LIMIT |"
            + " configuration.tenants[acme].shares[0].reservation | 8 | lower the reservation to 7,"
            + " or raise the limit",
        "weight: 2 | weight: 0 | 5 | BAD_VALUE | configuration.tenants[acme].shares[0].weight | 0 |"
            + " -",
        "weight: 2 | weigth: 2 | 5 | UNKNOWN_KEY | configuration.tenants[acme].shares[0].weigth |"
            + " weigth | did you mean weight?",
        "tenant: acme | tenant: acmee | 11 | TENANT_NOT_FOUND |"
            + " configuration.policies[vision].tenant | acmee | did you mean acme?",
        "set: {tenant: globex, | set: {tenant: globe, | 15 | TENANT_NOT_FOUND |"
            + " events[0].set.tenant | globe | did you mean globex?",
        "{pool: h100, reservation: 2} | {pool: h10, reservation: 2} | 15 | POOL_NOT_FOUND |"
            + " events[0].set.shares[0].pool | h10 | did you mean h100?",
        "{pool: h100, reservation: 2} | {pool: h100, reservation: 2, limit: 1} | 15 |"
            + " RESERVATION_ABOVE_LIMIT | events[0].set.shares[0].reservation | 2 | lower the"
            + " reservation to 1, or raise the limit",
        "set: {tenant: globex, shares: | set: {tenant: globex, share: | 15 | UNKNOWN_KEY |"
            + " events[0].set.share | share | did you mean shares?",
      })
  void refusesAMistake(
      String right,
      String wrong,
      int line,
      String reason,
      String field,
      String value,
      String next) {
    assertThat(TEXT).contains(right);
    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () -> ScenarioReader.read("scenario.yaml", TEXT.replace(right, wrong)));
    assertThat(refusal).as("accepted").isNotNull();
    Problem problem = refusal.problems().getFirst();
    assertThat(refusal.problems()).as(refusal.toString()).hasSize(1);
    assertThat(problem.reason()).as(problem.toString()).isEqualTo(reason);
    assertThat(problem.field()).as(problem.toString()).isEqualTo(field);
    assertThat(problem.value()).isEqualTo(value);
    assertThat(problem.span()).isNotNull();
    assertThat(problem.span().line()).isEqualTo(line);
    if (next != null) {
      assertThat(problem.next()).isEqualTo(next);
    }
  }

  @Test
  void aConfigurationHasNone() {
    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () ->
                ConfigurationReader.read(
                    "acme.yaml",
                    """
                    apiVersion: headgate/v1
                    kind: Configuration
                    tenant: acme
                    tenants: [{name: globex}]
                    """));
    assertThat(refusal.problems())
        .extracting(Problem::reason, Problem::field)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("UNKNOWN_KEY", "tenants"));
  }
}
