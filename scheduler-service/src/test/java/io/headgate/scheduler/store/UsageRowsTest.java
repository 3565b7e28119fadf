package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.HeldStep;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.PoolBalance;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.ledger.ReservationStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.Terms;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class UsageRowsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final TenantId ACME = new TenantId("acme");
  private static final PoolId OWN = new PoolId(ACME, "p");
  private static final PoolId SHARED = new PoolId(TenantId.PLATFORM, "p");
  private static final PolicyId POLICY = new PolicyId(ACME, "g");
  private static final Instant AT = Instant.parse("2026-11-26T12:00:00.001Z");
  private static final Terms PRICED =
      new Terms(
          List.of("vision", "research"),
          Optional.of("ml"),
          Optional.of(new Price(new BigDecimal("1.20"), "EUR")));
  private static final Terms BARE = new Terms(List.of(), Optional.empty(), Optional.empty());

  private Database database;
  private DSLContext across;

  @BeforeEach
  void open() {
    database = Database.open(POSTGRES.fresh());
    across = database.acrossTenants(1);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void write(Entries entries) {
    Script script = new Script();
    UsageRows.add(script, entries);
    across.connection(script::run);
  }

  private static Holding holding(long job, int attempt, PoolId pool) {
    NodeId own = new NodeId(ACME, "n-1");
    NodeId shared = new NodeId(TenantId.PLATFORM, "n-1");
    GpuQuantity third = new GpuQuantity(GpuQuantity.UNITS_PER_GPU / 3);
    return new Holding(
        new JobId(job),
        attempt,
        POLICY,
        new QueueId(ACME, "q"),
        new ProfileId(ACME, "f"),
        new UserId("ada"),
        new Assignment(
            pool,
            List.of(
                new WorkerPlace(
                    own,
                    List.of(new Slice(0, "GPU-a", third, 0), new Slice(3, "\"", third, 0)),
                    0,
                    0),
                new WorkerPlace(shared, List.of(new Slice(1, "GPU-b", third, 0)), 0, 0))));
  }

  @Test
  void theNextLeaderReadsTheLastSteps() {
    PoolBalance balance = new PoolBalance(21, new Split(1, 2, 3), 4, 5, 2, 6);
    Entries entries = Entries.empty();
    entries.pools().add(new PoolStep(OWN, AT, PoolBalance.NOTHING));
    entries.pools().add(new PoolStep(OWN, AT, balance));
    entries.pools().add(new PoolStep(OWN, AT.minusMillis(1), PoolBalance.NOTHING));
    entries.pools().add(new PoolStep(SHARED, AT, balance));
    ShortageStep lacking = new ShortageStep(POLICY, AT, 10, 3, Optional.of("CAPACITY"));
    entries.shortages().add(lacking);
    PolicyId other = new PolicyId(ACME, "h");
    entries.shortages().add(new ShortageStep(other, AT, 10, 3, Optional.of("CAPACITY")));
    entries.shortages().add(new ShortageStep(other, AT.plusMillis(1), 10, 0, Optional.empty()));
    ReservationStep reserved = new ReservationStep(POLICY, AT, List.of("vision"), 10, 20);
    entries.reservations().add(new ReservationStep(POLICY, AT.minusMillis(1), List.of(), 9, 9));
    entries.reservations().add(reserved);
    HeldStep held =
        new HeldStep(
            new JobId(7), AT, Optional.of(new HeldStep.Held(holding(7, 0, SHARED), PRICED)));
    HeldStep bare =
        new HeldStep(new JobId(8), AT, Optional.of(new HeldStep.Held(holding(8, 0, OWN), BARE)));
    entries.held().add(held);
    entries.held().add(bare);
    DownStep down =
        new DownStep(
            new NodeId(ACME, "n-1"),
            AT,
            Optional.of(
                new DownStep.Down(OWN, List.of(new Slice(3, "GPU-\"", new GpuQuantity(7), 0)))));
    entries.down().add(new DownStep(new NodeId(ACME, "n-1"), AT, Optional.empty()));
    entries.down().add(down);
    entries.down().add(new DownStep(new NodeId(TenantId.PLATFORM, "n-1"), AT, Optional.empty()));
    write(entries);

    var told = UsageRows.read(across);

    assertThat(told.pools())
        .containsExactlyInAnyOrder(
            new PoolStep(OWN, AT, balance), new PoolStep(SHARED, AT, balance));
    assertThat(told.shortages()).containsExactly(lacking);
    assertThat(told.reservations()).containsExactly(reserved);
    assertThat(told.held()).containsExactly(held, bare);
    assertThat(told.down()).containsExactly(down);

    Entries later = Entries.empty();
    later.held().add(new HeldStep(new JobId(7), AT.plusMillis(5), Optional.empty()));
    later.down().add(new DownStep(down.node(), AT.plusMillis(5), Optional.empty()));
    write(later);

    assertThat(UsageRows.read(across).down()).isEmpty();
    assertThat(UsageRows.read(across).held()).containsExactly(bare);
  }

  @Test
  void anIntervalIsStoredWithItsSlices() {
    Entries entries = Entries.empty();
    entries
        .intervals()
        .add(
            new UsageInterval(
                holding(7, 2, SHARED),
                PRICED,
                AT,
                AT.plusMillis(90),
                new Split(1, 2, 3),
                0,
                Optional.of(Duration.ofMillis(17)),
                Optional.of(new UsageInterval.End(true, 99))));
    write(entries);

    assertThat(across.fetchSingle("select * from usage_interval").intoMap())
        .containsEntry("tenant", "acme")
        .containsEntry("pool", "platform/p")
        .containsEntry("departments", new String[] {"vision", "research"})
        .containsEntry("group_name", "ml")
        .containsEntry("user_id", "ada")
        .containsEntry("attempt", 2)
        .containsEntry("entitled", 1L)
        .containsEntry("over_reservation", 2L)
        .containsEntry("above_limit", 3L)
        .containsEntry("waited_ms", 17L)
        .containsEntry("preempted", true)
        .containsEntry("lost", 99L)
        .containsEntry("price", new BigDecimal("1.200000"))
        .containsEntry("nodes", new String[] {"n-1", "n-1", "platform/n-1"})
        .containsEntry("devices", new Integer[] {0, 3, 1})
        .containsEntry("device_uuids", new String[] {"GPU-a", "\"", "GPU-b"});
  }
}
