package io.headgate.pool;

import static java.util.stream.Collectors.joining;

import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/// The database's content at every version of the catalog, recorded by a trigger in the transaction
/// of the version; and a watcher's state, in the same form.
final class CatalogHistory {
  private CatalogHistory() {}

  /// Makes the database, empty as yet, write its history. The row of the catalog is updated last in
  /// a transaction and locked until its end, so what the trigger sees is exactly what is committed.
  static void install(DSLContext db) {
    db.execute("create table history (version bigint primary key, state text not null)");
    db.execute(
        """
        create function write_history() returns trigger language plpgsql
        security definer set search_path from current as $$
        begin
          insert into history select new.version, coalesce((select string_agg(item, ' ' order by item collate "C") from (
            select 'tenants/' || tenant_id || '/nodes/' || node_id || '=' || pool_id || ':' || (draining and quarantine_reason is null) || ':'
              || (select count(*) from devices d where d.tenant_id = n.tenant_id and d.node_id = n.node_id) as item
              from nodes n
            union all
            select tenant_id || '@' || version from configurations where version > 0) items), '');
          return null;
        end $$
        """);
    db.execute(
        "create trigger history after update of version on catalog"
            + " for each row execute function write_history()");
    // A quick watcher comes before the first change.
    db.execute("insert into history select version, '' from catalog");
  }

  static String at(DSLContext db, long version) {
    return db.fetchSingle("select state from history where version = ?", version)
        .get(0, String.class);
  }

  /// The state of a watcher.
  static final class Picture {
    private final Map<String, String> items = new TreeMap<>();
    private long version;

    long version() {
      return version;
    }

    void see(WatchCatalogResponse message) {
      if (message.getVersion() < version && !message.getSnapshot()) {
        throw new AssertionError("version " + message.getVersion() + " after " + version);
      }
      boolean empty =
          message.getNodesCount()
                  + message.getDeletedNodesCount()
                  + message.getConfigurationsCount()
                  + message.getDeletedTenantsCount()
              == 0;
      if (!empty && !message.getSnapshot() && message.getVersion() == version) {
        throw new AssertionError("version " + version + " came twice");
      }
      if (message.getSnapshot()) {
        // Only a watcher that is new or fell behind the log gets a snapshot.
        if (version > 0 && message.getVersion() - version <= PoolFixture.CATALOG_LOG) {
          throw new AssertionError(
              "everything again at version " + message.getVersion() + " after " + version);
        }
        items.clear();
      }
      version = message.getVersion();
      message
          .getConfigurationsList()
          .forEach(each -> items.put(each.getTenant(), "@" + each.getVersion()));
      message.getNodesList().forEach(node -> items.put(node.getName(), text(node)));
      message.getDeletedNodesList().forEach(items::remove);
      message.getDeletedTenantsList().forEach(items::remove);
    }

    private static String text(Node node) {
      return "="
          + node.getPool()
          + ":"
          + (node.getState() == Node.State.STATE_DRAINING)
          + ":"
          + node.getDevicesCount();
    }

    @Override
    public String toString() {
      return items.entrySet().stream()
          .map(item -> item.getKey() + item.getValue())
          .sorted()
          .collect(joining(" "));
    }
  }
}
