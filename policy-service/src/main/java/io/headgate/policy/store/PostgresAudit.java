package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.AUDIT_LOG;

import io.headgate.kit.decision.FieldChange;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.AuditTable;
import java.util.function.Function;
import org.jooq.DSLContext;

/// Rows of `audit_log`.
final class PostgresAudit implements AuditTable {
  private final DSLContext dsl;

  PostgresAudit(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public void append(AuditEntry entry) {
    dsl.insertInto(AUDIT_LOG)
        .set(AUDIT_LOG.AT, entry.at())
        .set(AUDIT_LOG.TENANT_ID, entry.tenant().map(TenantId::value).orElse(null))
        .set(AUDIT_LOG.ACTOR, entry.actor().subject())
        .set(AUDIT_LOG.ADDRESS, entry.actor().address())
        .set(AUDIT_LOG.REQUEST_ID, entry.actor().requestId())
        .set(AUDIT_LOG.ACTION, entry.action())
        .set(AUDIT_LOG.TARGET, entry.target())
        .set(AUDIT_LOG.OUTCOME, entry.refusal().isPresent() ? "REFUSED" : "DONE")
        .set(AUDIT_LOG.REASON, entry.refusal().orElse(""))
        .set(AUDIT_LOG.FIELDS, column(entry, FieldChange::field))
        .set(AUDIT_LOG.BEFORE, column(entry, FieldChange::before))
        .set(AUDIT_LOG.AFTER, column(entry, FieldChange::after))
        .execute();
  }

  private static String[] column(AuditEntry entry, Function<FieldChange, String> part) {
    return entry.changes().stream().map(part).toArray(String[]::new);
  }
}
