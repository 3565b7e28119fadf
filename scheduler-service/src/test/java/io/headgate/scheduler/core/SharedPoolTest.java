package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Pools of the tenant `platform`, which the profiles of other tenants name (A3). Each tenant has a
/// catalog of its own, and they come in any order.
class SharedPoolTest {
  private static final PoolId SHARED = new PoolId(TenantId.PLATFORM, "h100");
  private static final TenantId ACME = new TenantId("acme");
  private static final TenantId GLOBEX = new TenantId("globex");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final SchedulerCore core = SchedulerCore.empty(SchedulerCore.DEFAULT_PLACEMENT);
  private long jobs;

  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  /// The owner of the pool, with parts of tenants.
  private static Catalog platform(TenantShare... shares) {
    return new Catalog(
        TenantId.PLATFORM,
        1,
        List.of(Pool.of(SHARED)),
        List.of(),
        List.of(),
        List.of(),
        List.of(shares),
        List.of());
  }

  private static TenantShare share(TenantId tenant, String reservation) {
    return new TenantShare(tenant, SHARED, Optional.of(gpus(reservation)), Optional.empty(), 1);
  }

  /// A tenant without pools, whose jobs of one GPU run in the shared one.
  private static Catalog tenant(TenantId id, String reservation) {
    PolicyId policy = new PolicyId(id, "team");
    ProfileId profile = new ProfileId(id, "one");
    return new Catalog(
        id,
        1,
        List.of(),
        List.of(Profile.of(profile, GpuQuantity.ONE, List.of(SHARED))),
        List.of(Policy.of(policy, gpus(reservation), gpus("8"))),
        List.of(new Queue(new QueueId(id, "q"), policy, profile, 1, true, true)));
  }

  private void provision(Catalog catalog) {
    core.decide(List.of(new Input.CatalogChanged(catalog)), NOW);
  }

  private void join(int gpus) {
    Node like = Driver.node("n", "h100", gpus);
    core.decide(
        List.of(
            new Input.NodeChanged(
                new Node(
                    new NodeId(TenantId.PLATFORM, "n"),
                    SHARED,
                    like.devices(),
                    like.cpuMillis(),
                    like.memoryBytes(),
                    like.status()))),
        NOW);
  }

  private Decision submit(TenantId tenant, int count) {
    List<Input> inputs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      inputs.add(
          new Input.JobSubmitted(
              new JobSpec(
                  new JobId(++jobs),
                  new QueueId(tenant, "q"),
                  new UserId("u"),
                  0,
                  Optional.empty(),
                  Optional.empty())));
    }
    return core.decide(inputs, NOW);
  }

  private long running(TenantId tenant) {
    return core.state().attempts().stream()
        .filter(attempt -> attempt.policy().tenant().equals(tenant))
        .filter(attempt -> attempt.stop().isEmpty())
        .map(Attempt::id)
        .count();
  }

  @Test
  void aTenantThatIsThereFirstFindsThePoolWhenItComes() {
    provision(tenant(ACME, "2"));
    join(4);
    submit(ACME, 1);
    assertThat(running(ACME)).isZero();
    provision(platform(share(ACME, "2")));
    submit(ACME, 1);
    assertThat(running(ACME)).isPositive();
  }

  @Test
  void whatOneTenantBorrowsTheOtherGetsBackOnDemand() {
    provision(platform(share(ACME, "2"), share(GLOBEX, "2")));
    provision(tenant(ACME, "2"));
    provision(tenant(GLOBEX, "2"));
    join(4);
    submit(ACME, 4);
    assertThat(running(ACME)).isEqualTo(4);
    submit(GLOBEX, 3);
    assertThat(running(ACME)).isEqualTo(2);
  }

  @Test
  void aTenantWithoutAPartReservesNothingWhateverItsPoliciesSay() {
    provision(platform(share(TenantId.PLATFORM, "0"), share(ACME, "2")));
    provision(tenant(ACME, "2"));
    provision(tenant(GLOBEX, "4"));
    join(4);
    submit(GLOBEX, 4);
    assertThat(running(GLOBEX)).as("it uses what idles").isEqualTo(4);
    submit(ACME, 2);
    assertThat(running(GLOBEX)).isEqualTo(2);
    submit(GLOBEX, 1);
    assertThat(running(GLOBEX)).as("it takes nothing back").isEqualTo(2);
  }

  @Test
  void aChangedPartCountsAtOnce() {
    provision(platform(share(ACME, "4"), share(GLOBEX, "0")));
    provision(tenant(ACME, "4"));
    provision(tenant(GLOBEX, "4"));
    join(4);
    submit(ACME, 4);
    submit(GLOBEX, 2);
    assertThat(running(ACME)).isEqualTo(4);
    provision(platform(share(ACME, "2"), share(GLOBEX, "2")));
    assertThat(running(ACME)).isEqualTo(2);
  }

  @Test
  void jobsWaitWhenThePoolGoesAndGoOnWhenItIsBack() {
    provision(platform(share(ACME, "4")));
    provision(tenant(ACME, "4"));
    join(4);
    submit(ACME, 1);
    provision(new Catalog(TenantId.PLATFORM, 2, List.of(), List.of(), List.of(), List.of()));
    submit(ACME, 1);
    assertThat(running(ACME)).isEqualTo(1);
    provision(platform(share(ACME, "4")));
    submit(ACME, 1);
    assertThat(running(ACME)).isGreaterThan(1);
  }

  @Test
  void theStateGoesOnElsewhereInWhateverOrderTheTenantsAreLoaded() {
    provision(platform(share(ACME, "2"), share(GLOBEX, "2")));
    provision(tenant(ACME, "2"));
    provision(tenant(GLOBEX, "2"));
    join(4);
    submit(ACME, 4);
    submit(GLOBEX, 3);
    SchedulerState state = core.state();
    SchedulerCore loaded = SchedulerCore.load(state);
    assertThat(loaded.state()).isEqualTo(state);
    assertThat(loaded.decide(List.of(), NOW).effects())
        .isEqualTo(core.decide(List.of(), NOW).effects());
  }
}
