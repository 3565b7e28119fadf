package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.State;
import io.headgate.scheduler.runtime.record.BudgetRecord;
import io.headgate.scheduler.runtime.record.BudgetUse;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class BudgetRowsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final TenantId ACME = new TenantId("acme");

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

  private static BudgetRecord record(Level level, String name, String currency, State state) {
    return new BudgetRecord(
        new BudgetUse(
            new Budget.Key(ACME, level, name),
            Optional.of(currency).filter(text -> !text.isEmpty()),
            Instant.parse("2026-11-01T00:00:00Z"),
            Instant.parse("2026-12-01T00:00:00Z"),
            new BigDecimal("4000.123456"),
            Instant.parse("2026-11-27T12:00:00.001Z")),
        state);
  }

  private void write(BudgetRecord... changes) {
    Script script = new Script();
    BudgetRows.add(script, List.of(changes));
    across.connection(script::run);
  }

  @Test
  void readsWhatWasWritten() {
    BudgetRecord tenant = record(Level.TENANT, "acme", "EUR", State.WARNED);
    BudgetRecord policy = record(Level.POLICY, "rnd", "", State.SPENT);
    write(tenant, policy);
    assertThat(BudgetRows.read(across)).containsExactlyInAnyOrder(tenant, policy);
  }

  @Test
  void forgetsBudgetsWithRoom() {
    BudgetRecord kept = record(Level.DEPARTMENT, "science", "", State.WARNED);
    write(kept, record(Level.POLICY, "rnd", "", State.WARNED));
    write(record(Level.POLICY, "rnd", "", State.SPENT));
    write(record(Level.POLICY, "rnd", "", State.OK));
    assertThat(BudgetRows.read(across)).containsExactly(kept);
  }
}
