package io.headgate.pool.store;

import static io.headgate.pool.store.jooq.Tables.AUDIT_LOG;
import static io.headgate.pool.store.jooq.Tables.CATALOG;
import static io.headgate.pool.store.jooq.Tables.CATALOG_CHANGES;
import static io.headgate.pool.store.jooq.Tables.CONFIGURATIONS;
import static io.headgate.pool.store.jooq.Tables.CONTENTS;
import static io.headgate.pool.store.jooq.Tables.DRAFTS;
import static io.headgate.pool.store.jooq.Tables.DRAFT_EDITORS;
import static io.headgate.pool.store.jooq.Tables.PREPARED_CHANGES;
import static io.headgate.pool.store.jooq.Tables.VERSIONS;

import io.headgate.kit.db.Reach;
import io.headgate.kit.db.RequestLog;
import io.headgate.kit.db.RequestLog.Request;
import io.headgate.kit.decision.FieldChange;
import io.headgate.kit.seal.Seal;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.Draft;
import io.headgate.pool.core.draft.DraftDecisions;
import io.headgate.pool.core.draft.JointChange;
import io.headgate.pool.core.draft.PreparedChange;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.draft.Stamp;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node;
import io.headgate.pool.runtime.AuditEntry;
import io.headgate.pool.runtime.Caller;
import io.headgate.pool.runtime.CatalogChange;
import io.headgate.pool.runtime.IdempotentRequest;
import io.headgate.pool.runtime.SupplyTransaction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/// Writes in one transaction. It locks the catalog's row last, in {@link #finish}, so that writers
/// of different tenants wait for each other only during their commits.
final class PostgresTransaction implements SupplyTransaction {
  /// The channel that announces new versions of the catalog to other processes.
  static final String CHANNEL = "pool_catalog";

  private final DSLContext db;
  private final Seal seal;
  private final RequestLog requests;
  private final Caller caller;
  private final Instant now;
  private final PostgresView view;
  private final NodeTable nodeTable;
  private @Nullable CatalogChange change;

  PostgresTransaction(DSLContext db, Seal seal, RequestLog requests, Caller caller, Instant now) {
    this.db = db;
    this.seal = seal;
    this.requests = requests;
    this.caller = caller;
    this.now = now;
    this.view = new PostgresView(db, seal);
    this.nodeTable = new NodeTable(db);
  }

  @Override
  public <T> byte[] once(IdempotentRequest<T> once, Supplier<T> work) {
    Supplier<byte[]> answer = () -> once.answer().apply(work.get());
    return once.id().isEmpty()
        ? answer.get()
        : requests.once(
            db,
            Request.of(caller.subject(), once.method(), once.id().get(), once.body().get()),
            answer);
  }

  @Override
  public ConfigurationState lockState(TenantId tenant) {
    db.insertInto(CONFIGURATIONS)
        .set(CONFIGURATIONS.TENANT_ID, tenant.value())
        .onConflictDoNothing()
        .execute();
    db.select(CONFIGURATIONS.VERSION)
        .from(CONFIGURATIONS)
        .where(CONFIGURATIONS.TENANT_ID.eq(tenant.value()))
        .forUpdate()
        .fetchSingle();
    return view.state(tenant);
  }

  @Override
  public Draft putDraft(
      TenantId tenant, long baseVersion, Configuration configuration, Stamp stamp) {
    long content = write(tenant, configuration);
    deleteDraftRow(tenant);
    db.insertInto(DRAFT_EDITORS)
        .set(DRAFT_EDITORS.TENANT_ID, tenant.value())
        .set(DRAFT_EDITORS.SUBJECT, stamp.by())
        .set(DRAFT_EDITORS.EDITED_AT, stamp.at())
        .onDuplicateKeyUpdate()
        .set(DRAFT_EDITORS.EDITED_AT, stamp.at())
        .execute();
    db.insertInto(DRAFTS)
        .set(DRAFTS.TENANT_ID, tenant.value())
        .set(DRAFTS.BASE_VERSION, baseVersion)
        .set(DRAFTS.CONTENT_ID, content)
        .set(DRAFTS.UPDATED_AT, stamp.at())
        .set(DRAFTS.UPDATED_BY, stamp.by())
        .execute();
    return view.state(tenant).draft().orElseThrow();
  }

  /// Stores a configuration under the tenant's next number of a content.
  private long write(TenantId tenant, Configuration configuration) {
    long content =
        db.update(CONFIGURATIONS)
            .set(CONFIGURATIONS.LAST_CONTENT, CONFIGURATIONS.LAST_CONTENT.plus(1))
            .where(CONFIGURATIONS.TENANT_ID.eq(tenant.value()))
            .returningResult(CONFIGURATIONS.LAST_CONTENT)
            .fetchSingle()
            .value1();
    new ContentWriter(db, seal, new ContentKey(tenant.value(), content)).write(configuration);
    return content;
  }

  @Override
  public void deleteDraft(TenantId tenant) {
    deleteDraftRow(tenant);
    deleteEditors(tenant);
  }

  private void deleteDraftRow(TenantId tenant) {
    db.deleteFrom(DRAFTS)
        .where(DRAFTS.TENANT_ID.eq(tenant.value()))
        .returningResult(DRAFTS.CONTENT_ID)
        .fetch()
        .forEach(row -> deleteContent(tenant, row.value1()));
  }

  private void deleteEditors(TenantId tenant) {
    db.deleteFrom(DRAFT_EDITORS).where(DRAFT_EDITORS.TENANT_ID.eq(tenant.value())).execute();
  }

  @Override
  public void deleteContent(TenantId tenant, long content) {
    db.deleteFrom(CONTENTS)
        .where(CONTENTS.TENANT_ID.eq(tenant.value()))
        .and(CONTENTS.CONTENT_ID.eq(content))
        .execute();
  }

  @Override
  public PreparedChange prepare(
      TenantId tenant, DraftDecisions.Wanted wanted, Optional<Configuration> next, Stamp stamp) {
    Optional<Long> content = next.map(configuration -> write(tenant, configuration));
    db.insertInto(PREPARED_CHANGES)
        .set(PREPARED_CHANGES.TENANT_ID, tenant.value())
        .set(PREPARED_CHANGES.CHANGE_ID, wanted.id())
        .set(PREPARED_CHANGES.BASE_VERSION, wanted.version())
        .set(PREPARED_CHANGES.CONTENT_ID, content.orElse(null))
        .set(
            PREPARED_CHANGES.DRAFT_CONTENT,
            view.state(tenant).draft().map(Draft::content).orElse(null))
        .set(PREPARED_CHANGES.PREPARED_AT, stamp.at())
        .set(PREPARED_CHANGES.PREPARED_BY, stamp.by())
        .execute();
    return view.state(tenant).prepared().orElseThrow();
  }

  @Override
  public void deletePrepared(TenantId tenant) {
    db.deleteFrom(PREPARED_CHANGES).where(PREPARED_CHANGES.TENANT_ID.eq(tenant.value())).execute();
  }

  @Override
  public boolean isCommitted(TenantId tenant, String change) {
    return db.fetchExists(
        VERSIONS, VERSIONS.TENANT_ID.eq(tenant.value()).and(VERSIONS.CHANGE_ID.eq(change)));
  }

  @Override
  public void provision(TenantId tenant, Provisioned next) {
    Stamp stamp = next.stamp().orElseThrow();
    int drafts =
        db.deleteFrom(DRAFTS)
            .where(DRAFTS.TENANT_ID.eq(tenant.value()))
            .and(DRAFTS.CONTENT_ID.eq(next.content()))
            .execute();
    if (drafts > 0) {
      deleteEditors(tenant);
    }
    Optional<JointChange> joint = next.joint();
    db.insertInto(VERSIONS)
        .set(VERSIONS.TENANT_ID, tenant.value())
        .set(VERSIONS.VERSION, next.version())
        .set(VERSIONS.CONTENT_ID, next.content())
        .set(VERSIONS.PROVISIONED_AT, stamp.at())
        .set(VERSIONS.PROVISIONED_BY, stamp.by())
        .set(VERSIONS.CHANGE_ID, joint.map(JointChange::id).orElse(null))
        .set(VERSIONS.CHANGE_RESOURCE_VERSION, joint.map(JointChange::resourceVersion).orElse(null))
        .set(VERSIONS.CHANGE_ACCESS_VERSION, joint.map(JointChange::accessVersion).orElse(null))
        .execute();
    db.update(CONFIGURATIONS)
        .set(CONFIGURATIONS.VERSION, next.version())
        .where(CONFIGURATIONS.TENANT_ID.eq(tenant.value()))
        .execute();
  }

  @Override
  public Optional<Node> lockNode(TenantId tenant, NodeId id) {
    // An absent row cannot be locked; an advisory lock on its name can.
    db.select(
            DSL.function(
                "pg_advisory_xact_lock",
                Object.class,
                DSL.function(
                    "hashtextextended",
                    Long.class,
                    DSL.val("pool node " + tenant + "/" + id),
                    DSL.val(0L))))
        .execute();
    return view.node(tenant, id);
  }

  @Override
  public void putNode(Node node) {
    nodeTable.put(node);
  }

  @Override
  public void deleteNode(TenantId tenant, NodeId id) {
    nodeTable.delete(tenant, id);
  }

  @Override
  public List<Node> nodes(TenantId tenant) {
    return view.nodes(tenant, Optional.empty(), Integer.MAX_VALUE);
  }

  @Override
  public void changed(CatalogChange what) {
    if (change != null) {
      throw new IllegalStateException("a transaction changes one thing: " + change + ", " + what);
    }
    change = what;
  }

  @Override
  public void audit(AuditEntry entry) {
    db.insertInto(AUDIT_LOG)
        .set(AUDIT_LOG.AT, now)
        .set(AUDIT_LOG.TENANT_ID, entry.tenant().value())
        .set(AUDIT_LOG.ACTOR, caller.subject())
        .set(AUDIT_LOG.REQUEST_ID, caller.call())
        .set(AUDIT_LOG.ACTION, entry.action().name())
        .set(AUDIT_LOG.TARGET, entry.target())
        .set(AUDIT_LOG.FIELDS, texts(entry, FieldChange::field))
        .set(AUDIT_LOG.BEFORE, texts(entry, FieldChange::before))
        .set(AUDIT_LOG.AFTER, texts(entry, FieldChange::after))
        .execute();
  }

  /// Assigns the change its version and trims the log.
  OptionalLong finish(int logLength) {
    if (change == null) {
      return OptionalLong.empty();
    }
    long version =
        db.update(CATALOG)
            .set(CATALOG.VERSION, CATALOG.VERSION.plus(1))
            .returningResult(CATALOG.VERSION)
            .fetchSingle()
            .value1();
    String node =
        switch (change) {
          case CatalogChange.ConfigurationChange _ -> null;
          case CatalogChange.NodeChange(var _, var id) -> id.value();
        };
    db.insertInto(CATALOG_CHANGES)
        .set(CATALOG_CHANGES.VERSION, version)
        .set(CATALOG_CHANGES.CHANGED_AT, now)
        .set(CATALOG_CHANGES.TENANT_ID, change.tenant().value())
        .set(CATALOG_CHANGES.NODE_ID, node)
        .execute();
    long horizon = version - logLength;
    // The log of changes is one for all tenants, and what is too old goes whosever it is.
    Reach.EVERY_TENANT.apply(db);
    if (db.deleteFrom(CATALOG_CHANGES).where(CATALOG_CHANGES.VERSION.le(horizon)).execute() > 0) {
      db.update(CATALOG).set(CATALOG.HORIZON, horizon).execute();
    }
    db.select(
            DSL.function(
                "pg_notify", Object.class, DSL.val(CHANNEL), DSL.val(Long.toString(version))))
        .execute();
    return OptionalLong.of(version);
  }

  private static String[] texts(AuditEntry entry, Function<FieldChange, String> text) {
    return entry.differences().stream().map(text).toArray(String[]::new);
  }
}
