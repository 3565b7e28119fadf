package io.headgate.kit.audit;

import io.headgate.kit.audit.AuditFinding.Fault;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jooq.Cursor;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/// Verifies the audit log of a schema. A trigger writes a row of `audit_chain` for each entry, when
/// its transaction commits: its number in the chain of its tenant, and a SHA-256 over the entry and
/// the hash of the row before. An attacker who deletes, changes or moves an entry has to compute
/// all later hashes anew. Then they differ from anchors outside of the database.
///
/// The hash is computed here once more, and not by the database, because an attacker who changes
/// rows may change functions too. Thread-safe.
public final class AuditChain {
  /// Chain of entries without a tenant.
  public static final String OF_NO_TENANT = "";

  /// Entries that one call compares, within about a second.
  private static final int PORTION = 50_000;

  private static final int FETCHED_AT_ONCE = 1_000;

  private final Database database;
  private final List<String> columns;

  /// @param columns of `audit_log` that are hashed, in the order of the schema's trigger
  public AuditChain(Database database, List<String> columns) {
    this.database = database;
    this.columns = List.copyOf(columns);
  }

  /// Checks the next portion of a chain.
  ///
  /// @param chain id of the tenant, or [#OF_NO_TENANT]
  /// @param after where the last portion ended; empty: the beginning
  /// @param anchors entries that the chain must contain
  public AuditFinding verify(String chain, Optional<AuditAnchor> after, List<AuditAnchor> anchors) {
    // Entries and chain agree in a snapshot only. The chain of no tenant has rows of none.
    Reach reach = chain.equals(OF_NO_TENANT) ? Reach.EVERY_TENANT : Reach.of(chain);
    return database.snapshot(reach, sql -> new Portion(sql, chain, after, anchors).verify());
  }

  /// The last entry of each chain, by chain.
  Map<String, AuditAnchor> heads() {
    return database.snapshot(
        Reach.EVERY_TENANT,
        sql -> {
          Map<String, AuditAnchor> heads = new TreeMap<>();
          for (Record row : sql.fetch(HEADS)) {
            heads.put(
                row.get("chain", String.class),
                new AuditAnchor(row.get("sequence", Long.class), row.get("hash", String.class)));
          }
          return heads;
        });
  }

  /// The chains of `known` that have another entry there now, or none.
  ///
  /// @param known an entry of each chain, by chain
  Set<String> withoutThem(Map<String, AuditAnchor> known) {
    return database.snapshot(
        Reach.EVERY_TENANT,
        sql -> {
          List<Map.Entry<String, AuditAnchor>> all = List.copyOf(known.entrySet());
          return new TreeSet<>(
              sql.fetch(
                      LACKS,
                      (Object) all.stream().map(Map.Entry::getKey).toArray(String[]::new),
                      all.stream().map(each -> each.getValue().sequence()).toArray(Long[]::new),
                      all.stream().map(each -> each.getValue().hash()).toArray(String[]::new))
                  .getValues("chain", String.class));
        });
  }

  private static final String LACKS =
      """
      select known.chain from unnest(?::text[], ?::bigint[], ?::text[]) as known(chain, sequence, hash)
      where not exists (
        select from audit_chain c where c.chain = known.chain and c.sequence = known.sequence
          and c.hash = decode(known.hash, 'hex'))\
      """;

  /// One look-up in the index for each chain, however long it is.
  private static final String HEADS =
      """
      with recursive chains as (
        (select chain from audit_chain order by chain limit 1)
        union all
        select (select n.chain from audit_chain n where n.chain > chains.chain
                order by n.chain limit 1)
        from chains where chains.chain is not null)
      select head.chain, head.sequence, encode(head.hash, 'hex') as hash
      from chains cross join lateral (
        select * from audit_chain c where c.chain = chains.chain
        order by c.sequence desc limit 1) head\
      """;

  private static final String ADDED =
      """
      select min(audit_id) as added from audit_log a
      where (a.tenant_id = ? or (a.tenant_id is null and ? = '')) and a.audit_id > (select audit_id from audit_chain_start)
        and not exists (select from audit_chain c where c.audit_id = a.audit_id)\
      """;

  private static final String UNCHAINED =
      """
      select count(*) as unchained from audit_log a
      where (a.tenant_id = ? or (a.tenant_id is null and ? = '')) and a.audit_id <= (select audit_id from audit_chain_start)\
      """;

  private final class Portion {
    private final DSLContext sql;
    private final String chain;
    private final TreeMap<Long, Set<String>> anchors = new TreeMap<>();
    private Optional<AuditAnchor> reached;
    private long checked;

    Portion(DSLContext sql, String chain, Optional<AuditAnchor> after, List<AuditAnchor> anchors) {
      this.sql = sql;
      this.chain = chain;
      this.reached = after;
      anchors.forEach(anchor ->
          this.anchors.computeIfAbsent(anchor.sequence(), _ -> new TreeSet<>()).add(anchor.hash()));
    }

    AuditFinding verify() {
      @Nullable Fault fault = null;
      String query =
          "select c.sequence, c.audit_id as chained_id, encode(c.hash, 'hex') as chained_hash, "
              + String.join(", ", columns.stream().map(each -> "a." + each).toList())
              + " from audit_chain c left join audit_log a on a.audit_id = c.audit_id"
              + " where c.chain = ? and c.sequence > ? order by c.sequence limit ?";
      long from = reached.map(AuditAnchor::sequence).orElse(0L);
      try (Cursor<Record> rows =
          sql.resultQuery(query, chain, from, PORTION).fetchSize(FETCHED_AT_ONCE).fetchLazy()) {
        for (Record row : rows) {
          fault = compare(row);
          if (fault != null) {
            break;
          }
        }
      }
      if (fault != null || checked == PORTION) {
        return new AuditFinding(checked, reached, fault != null, Optional.ofNullable(fault), 0);
      }
      return end();
    }

    private @Nullable Fault compare(Record row) {
      long sequence = row.get("sequence", Long.class);
      long auditId = row.get("chained_id", Long.class);
      long expected = reached.map(AuditAnchor::sequence).orElse(0L) + 1;
      if (sequence != expected) {
        return new Fault.Missing(expected, 0);
      }
      if (row.get("audit_id") == null) {
        return new Fault.Missing(sequence, auditId);
      }
      EntryHash hash =
          new EntryHash(reached.map(AuditAnchor::hash).orElse("")).add(chain).add(sequence);
      for (String column : columns) {
        hash.add(row.get(column));
      }
      String found = hash.hex();
      // Two anchors of one place cannot both be right.
      if (!found.equals(row.get("chained_hash", String.class))
          || !Set.of(found).containsAll(anchors.getOrDefault(sequence, Set.of()))) {
        return new Fault.Changed(sequence, auditId);
      }
      checked++;
      reached = Optional.of(new AuditAnchor(sequence, found));
      return null;
    }

    private AuditFinding end() {
      long last = reached.map(AuditAnchor::sequence).orElse(0L);
      Optional<Fault> fault = Optional.empty();
      if (anchors.higherKey(last) != null) {
        fault = Optional.of(new Fault.CutOff(last + 1));
      } else {
        Long added = sql.fetchSingle(ADDED, chain, chain).get("added", Long.class);
        if (added != null) {
          fault = Optional.of(new Fault.Added(added));
        }
      }
      long unchained = sql.fetchSingle(UNCHAINED, chain, chain).get("unchained", Long.class);
      return new AuditFinding(checked, reached, true, fault, unchained);
    }
  }
}
