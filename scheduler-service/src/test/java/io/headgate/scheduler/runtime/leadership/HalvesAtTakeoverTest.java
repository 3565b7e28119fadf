package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.headgate.kit.db.Database;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.type.v1.JointChange;
import io.headgate.scheduler.client.PolicyAccessSource;
import io.headgate.scheduler.client.PoolCatalogSource;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.store.PostgresSchedulerStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Whatever half of a change waits when a leader dies, the next leader begins with the halves that
/// were in force.
class HalvesAtTakeoverTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final String ACME = "acme";
  private static final String BETA = "beta";
  private static final Channel UNUSED =
      new Channel() {
        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
          throw new AssertionError("nothing is watched");
        }

        @Override
        public String authority() {
          return "unused";
        }
      };

  private final CatalogSource supplies = new PoolCatalogSource(UNUSED);
  private final CatalogSource accesses = new PolicyAccessSource(UNUSED);
  private final OneLeader one = new OneLeader();
  private final List<LoopStep> steps = new ArrayList<>();
  private Database database;
  private PostgresSchedulerStore store;
  private Leadership leadership;
  private Leader leader;
  private long position;

  @BeforeEach
  void begin() throws InterruptedException {
    database = Database.open(POSTGRES.fresh());
    store =
        new PostgresSchedulerStore(
            database.dataSource(), database.jooq(), TestSecrets.seal(database));
    leadership =
        store
            .takeOver(
                new Candidate(
                    "a",
                    "a:1",
                    true,
                    OneLeader.SETTINGS.lease(),
                    OneLeader.SETTINGS.missedRenewal()),
                false)
            .orElseThrow()
            .leadership();
    takeOver();
    moved(supplies, true, supply(ACME, 12, ""), supply(BETA, 12, ""));
    moved(accesses, true, rights(ACME, 7, ""), rights(BETA, 7, ""));
    assertThat(inForce()).isEqualTo("acme 12.7, beta 12.7");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void anotherTenantsWaitDividesNoChange() throws InterruptedException {
    moved(accesses, false, rights(ACME, 8, "c"));
    moved(accesses, false, rights(BETA, 8, "d"));
    moved(supplies, false, supply(ACME, 13, "c"));
    assertThat(inForce()).isEqualTo("acme 13.8, beta 12.7");

    takeOver();
    assertThat(inForce()).isEqualTo("acme 13.8, beta 12.7");
  }

  @Test
  void rightsThatWentAfterTheWaitDoNotComeBack() throws InterruptedException {
    moved(accesses, false, rights(ACME, 8, "c"));
    moved(accesses, false, rights(BETA, 8, "d"));
    moved(supplies, false, supply(ACME, 13, "c"));
    moved(accesses, false, rights(ACME, 9, "c"));
    moved(supplies, false, supply(BETA, 13, "d"));

    takeOver();
    assertThat(inForce()).isEqualTo("acme 13.9, beta 13.8");
    assertThat(store.load().catalogs().get(CatalogSource.ACCESS).position().version())
        .as("all rights are stored")
        .isEqualTo(position - 1);
  }

  @Test
  void aSnapshotWithAWaitingHalfDividesNoOtherChange() throws InterruptedException {
    moved(accesses, true, rights(ACME, 8, "c"), rights(BETA, 7, ""));
    moved(supplies, false, supply(BETA, 12, ""), prepared(BETA, 13, "d"));
    moved(accesses, false, rights(BETA, 8, "d"));
    assertThat(inForce()).isEqualTo("acme 12.7, beta 13.8");

    takeOver();
    assertThat(inForce()).isEqualTo("acme 12.7, beta 13.8");
    moved(supplies, false, supply(ACME, 13, "c"));
    moved(accesses, false, rights(ACME, 8, "c"));
    takeOver();
    assertThat(inForce()).isEqualTo("acme 13.8, beta 13.8");
  }

  @Test
  void aTenantMayHaveTheNameOfAnotherPartOfAKey() throws InterruptedException {
    for (String tenant : List.of("nodes", "prepared")) {
      moved(supplies, false, supply(tenant, 12, ""), prepared(tenant, 13, "c"));
      takeOver();
      moved(accesses, false, rights(tenant, 8, "c"));
      assertThat(inForce(tenant)).isEqualTo(tenant + " 13.8");
    }
  }

  /// The leader dies, and another leader begins with the stored state.
  private void takeOver() {
    LoadedState loaded = store.load();
    leader =
        new Leader(
            LeaderStart.of(leadership, OneLeader.SETTINGS, loaded, Takeover.silent(one.ports)),
            one.ports,
            LeaderState.load(
                leadership, OneLeader.SETTINGS, loaded, List.of(supplies, accesses), one.time),
            one.lease,
            steps::add);
  }

  private void moved(CatalogSource source, boolean isSnapshot, CatalogEntry... entries)
      throws InterruptedException {
    position++;
    WatchPosition at = new WatchPosition("life", position);
    CatalogUpdate all = source.decode(at, List.of(entries));
    CatalogChange news = new CatalogChange(at, isSnapshot, List.of(entries), List.of());
    CatalogUpdate update =
        switch (all) {
          case CatalogUpdate.OfSupply supply ->
              new CatalogUpdate.OfSupply(
                  news,
                  supply.supplies(),
                  supply.prepared(),
                  List.of(),
                  supply.machines(),
                  List.of());
          case CatalogUpdate.OfAccess access ->
              new CatalogUpdate.OfAccess(news, access.accesses(), List.of());
        };
    steps.clear();
    leader.decide(List.of(new Command.CatalogMoved(source.name(), update)));
    steps.stream()
        .flatMap(step -> step.batch().stream())
        .forEach(batch ->
            assertThat(store.commit(leadership, OneLeader.SETTINGS.lease(), batch))
                .isInstanceOf(CommitResult.Committed.class));
  }

  private String inForce() {
    return inForce(ACME) + ", " + inForce(BETA);
  }

  private String inForce(String tenant) {
    TenantId id = new TenantId(tenant);
    return "%s %d.%d"
        .formatted(
            tenant, leader.catalog().resourceVersion(id), leader.catalog().accessVersion(id));
  }

  /// @param change last one, up to this version; empty: none
  private static CatalogEntry supply(String tenant, long version, String change) {
    return supply("tenants/" + tenant, tenant, version, change);
  }

  private static CatalogEntry prepared(String tenant, long version, String change) {
    return supply("tenants/" + tenant + "/prepared", tenant, version, change);
  }

  private static CatalogEntry supply(String key, String tenant, long version, String change) {
    ResourceConfiguration.Builder supply =
        ResourceConfiguration.newBuilder().setTenant(tenant).setVersion(version);
    joint(change).forEach(supply::setJointChange);
    return new CatalogEntry(key, Document.of(supply.build().toByteArray()));
  }

  private static CatalogEntry rights(String tenant, long version, String change) {
    AccessConfiguration.Builder rights =
        AccessConfiguration.newBuilder().setTenant(tenant).setVersion(version);
    joint(change).forEach(rights::setJointChange);
    return new CatalogEntry("tenants/" + tenant, Document.of(rights.build().toByteArray()));
  }

  private static Stream<JointChange> joint(String change) {
    return Stream.of(change)
        .filter(id -> !id.isEmpty())
        .map(id ->
            JointChange.newBuilder().setId(id).setResourceVersion(13).setAccessVersion(8).build());
  }
}
