package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.AUDIT_LOG;

import io.headgate.kit.decision.FieldChange;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.AuditTable;
import io.headgate.policy.store.jooq.tables.records.AuditLogRecord;
import java.util.List;
import java.util.function.Function;
import org.jooq.DSLContext;

/// Rows of `audit_log`.
final class PostgresAudit implements AuditTable {
  private final DSLContext dsl;

  PostgresAudit(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public void append(List<AuditEntry> entries) {
    dsl.batchInsert(entries.stream().map(this::row).toList()).execute();
  }

  private AuditLogRecord row(AuditEntry entry) {
    return dsl.newRecord(AUDIT_LOG)
        .with(AUDIT_LOG.AT, entry.at())
        .with(AUDIT_LOG.TENANT_ID, entry.tenant().map(TenantId::value).orElse(null))
        .with(AUDIT_LOG.ACTOR, entry.actor().subject())
        .with(AUDIT_LOG.ADDRESS, entry.actor().address())
        .with(AUDIT_LOG.REQUEST_ID, entry.actor().requestId())
        .with(AUDIT_LOG.ACTION, entry.action())
        .with(AUDIT_LOG.TARGET, entry.target())
        .with(AUDIT_LOG.OUTCOME, entry.refusal().isPresent() ? "REFUSED" : "DONE")
        .with(AUDIT_LOG.REASON, entry.refusal().orElse(""))
        .with(AUDIT_LOG.FIELDS, column(entry, FieldChange::field))
        .with(AUDIT_LOG.BEFORE, column(entry, FieldChange::before))
        .with(AUDIT_LOG.AFTER, column(entry, FieldChange::after));
  }

  private static String[] column(AuditEntry entry, Function<FieldChange, String> part) {
    return entry.changes().stream().map(part).toArray(String[]::new);
  }
}
