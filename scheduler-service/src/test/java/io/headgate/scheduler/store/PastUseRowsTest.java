package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.PastUse.Level;
import java.time.Instant;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class PastUseRowsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final TenantId ACME = new TenantId("acme");
  private static final PoolId OWN = new PoolId(ACME, "p");
  private static final PoolId SHARED = new PoolId(TenantId.PLATFORM, "p");
  private static final Instant AT = Instant.parse("2026-11-26T12:00:00.000001Z");
  private static final Level POLICY = new Level.OfPolicy(new PolicyId(ACME, "g"));

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

  private void write(PastUse... changes) {
    Script script = new Script();
    PastUseRows.add(script, List.of(changes));
    across.connection(script::run);
  }

  /// An average that no short decimal number says.
  private static double odd() {
    return 126_000 / 7.0 * StrictMath.PI;
  }

  @Test
  void readsWhatWasWrittenWithAllBits() {
    PastUse[] all = {
      new PastUse(OWN, new Level.OfDepartment(new DepartmentId(ACME, "g")), odd(), 0, AT),
      new PastUse(OWN, POLICY, 1e-300, 126_000, AT),
      new PastUse(SHARED, POLICY, odd() / 3, 5, AT),
      new PastUse(SHARED, new Level.OfTenant(ACME), 0, 7, AT)
    };

    write(all);

    assertThat(PastUseRows.read(across)).containsExactlyInAnyOrder(all);
  }

  @Test
  void theLastChangeCounts() {
    write(new PastUse(OWN, POLICY, odd(), 3, AT), new PastUse(SHARED, POLICY, odd(), 3, AT));
    PastUse last = new PastUse(OWN, POLICY, odd() / 2, 0, AT.plusSeconds(60));

    write(last, new PastUse(SHARED, POLICY, 0, 0, AT.plusSeconds(60)));

    assertThat(PastUseRows.read(across)).as("nothing is forgotten").containsExactly(last);
  }
}
