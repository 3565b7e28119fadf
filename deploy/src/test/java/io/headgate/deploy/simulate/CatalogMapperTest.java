package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.sdk.config.ScenarioFile;
import io.headgate.sdk.config.ScenarioReader;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The core decides by the keys of a scenario's configuration.
class CatalogMapperTest {
  private static final String TEXT =
      """
      apiVersion: headgate/v1
      kind: Scenario
      configuration:
        tenants: [{name: acme}]
        pools:
          - {name: p, promoteAfter: 24h, consolidate: true, fairness: {halfLife: 168h}}
          - {name: plain}
        profiles: [{name: one, gpus: 1, pools: [p, plain], reclaim: fair}]
        departments:
          - {name: top, tenant: acme, reservation: 3, limit: 9, weight: 2}
          - {name: below, tenant: acme, department: top}
        policies:
          - {name: a, tenant: acme, department: below, limit: 4, preemptAfter: 30s}
          - {name: b, limit: 4, queues: [{name: q, profile: one}]}
      nodes: [{name: n, pool: p, gpus: 4}]
      """;

  @Test
  void hasDepartmentsAndTheOptionsOfSharing() throws Exception {
    ScenarioFile scenario = ScenarioReader.read("keys.yaml", TEXT);
    Catalog catalog = ScenarioMapper.catalog("own", scenario.configuration());
    DepartmentId top = new DepartmentId(new TenantId("acme"), "top");
    DepartmentId below = new DepartmentId(new TenantId("acme"), "below");
    assertThat(catalog.departments())
        .containsExactly(
            new Department(
                top,
                Optional.empty(),
                Optional.of(GpuQuantity.ofGpus(3)),
                Optional.of(GpuQuantity.ofGpus(9)),
                2),
            new Department(below, Optional.of(top), Optional.empty(), Optional.empty(), 1));
    assertThat(catalog.policies())
        .extracting(Policy::department)
        .containsExactly(Optional.of(below), Optional.empty());
    assertThat(catalog.policies())
        .extracting(Policy::preemptAfter)
        .containsExactly(Duration.ofSeconds(30), Duration.ZERO);
    Pool shared = catalog.pools().getFirst();
    assertThat(shared.promoteAfter()).hasValue(Duration.ofHours(24));
    assertThat(shared.halfLife()).hasValue(Duration.ofHours(168));
    assertThat(shared.consolidate()).isTrue();
    Pool plain = catalog.pools().getLast();
    assertThat(plain.promoteAfter()).isEmpty();
    assertThat(plain.halfLife()).isEmpty();
    assertThat(plain.consolidate()).isFalse();
    assertThat(catalog.profiles().getFirst().reclaim()).isEqualTo(Reclaim.FAIR);
  }
}
