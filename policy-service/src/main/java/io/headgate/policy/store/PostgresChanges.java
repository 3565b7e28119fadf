package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.CHANGES;

import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.ChangeDecision;
import io.headgate.policy.runtime.port.ChangeTable;
import io.headgate.policy.store.jooq.tables.records.ChangesRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// Rows of `changes`.
final class PostgresChanges implements ChangeTable {
  private static final String COMMITTED = "COMMITTED";
  private static final String ABANDONED = "ABANDONED";

  private final DSLContext dsl;

  PostgresChanges(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public Optional<ChangeDecision> find(TenantId tenant, String change) {
    return dsl.selectFrom(CHANGES)
        .where(CHANGES.TENANT_ID.eq(tenant.value()))
        .and(CHANGES.CHANGE_ID.eq(change))
        .fetchOptional(PostgresChanges::decision);
  }

  @Override
  public void decide(ChangeDecision decision) {
    dsl.insertInto(CHANGES)
        .set(CHANGES.TENANT_ID, decision.tenant().value())
        .set(CHANGES.CHANGE_ID, decision.change())
        .set(CHANGES.OUTCOME, decision.isCommitted() ? COMMITTED : ABANDONED)
        .set(CHANGES.ACCESS_VERSION, decision.accessVersion())
        .set(CHANGES.DECIDED_AT, decision.at())
        .set(CHANGES.SETTLED, false)
        .onConflictDoNothing()
        .execute();
  }

  @Override
  public List<ChangeDecision> unsettled() {
    return dsl.selectFrom(CHANGES)
        .where(CHANGES.SETTLED.isFalse())
        .orderBy(CHANGES.DECIDED_AT)
        .fetch(PostgresChanges::decision);
  }

  @Override
  public List<ChangeDecision> unsettled(TenantId tenant) {
    return dsl.selectFrom(CHANGES)
        .where(CHANGES.SETTLED.isFalse())
        .and(CHANGES.TENANT_ID.eq(tenant.value()))
        .orderBy(CHANGES.DECIDED_AT)
        .fetch(PostgresChanges::decision);
  }

  @Override
  public void settled(ChangeDecision decision) {
    dsl.update(CHANGES)
        .set(CHANGES.SETTLED, true)
        .where(CHANGES.TENANT_ID.eq(decision.tenant().value()))
        .and(CHANGES.CHANGE_ID.eq(decision.change()))
        .execute();
  }

  @Override
  public void forget(Instant before, int most) {
    dsl.deleteFrom(CHANGES)
        .where(
            DSL.row(CHANGES.TENANT_ID, CHANGES.CHANGE_ID)
                .in(
                    DSL.select(CHANGES.TENANT_ID, CHANGES.CHANGE_ID)
                        .from(CHANGES)
                        .where(CHANGES.SETTLED)
                        .and(CHANGES.DECIDED_AT.lt(before))
                        .orderBy(CHANGES.DECIDED_AT)
                        .limit(most)))
        .execute();
  }

  private static ChangeDecision decision(ChangesRecord row) {
    return new ChangeDecision(
        new TenantId(row.getTenantId()),
        row.getChangeId(),
        row.getOutcome().equals(COMMITTED),
        row.getAccessVersion(),
        row.getDecidedAt());
  }
}
