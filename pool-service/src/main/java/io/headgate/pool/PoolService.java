package io.headgate.pool;

import io.headgate.kit.audit.AuditAnchors;
import io.headgate.kit.audit.AuditChain;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.db.Notifications;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.kit.watch.WatchHub;
import io.headgate.pool.grpc.AuditEndpoint;
import io.headgate.pool.grpc.ConfigurationEndpoint;
import io.headgate.pool.grpc.NodeEndpoint;
import io.headgate.pool.grpc.PoolEndpoint;
import io.headgate.pool.grpc.ProfileEndpoint;
import io.headgate.pool.runtime.Catalog;
import io.headgate.pool.runtime.ChangeFailpoint;
import io.headgate.pool.runtime.Changes;
import io.headgate.pool.runtime.Drafts;
import io.headgate.pool.runtime.JointChanges;
import io.headgate.pool.runtime.Nodes;
import io.headgate.pool.runtime.PoolMetrics;
import io.headgate.pool.store.PostgresSupplyStore;
import io.headgate.pool.store.SealedColumns;
import io.opentelemetry.api.metrics.Meter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Supply: pools, profiles, links, nodes and devices. Assembles the service from its parts. The
/// service's own process and the all-in-one use it like this:
///
/// ```java
/// PoolService pool = PoolService.open(config, telemetry, TimeSource.system());
/// pool.register(api);       // on a server that others may share
/// pool.start();
/// ...
/// pool.close();             // after the server
/// ```
public final class PoolService implements AutoCloseable {
  private static final String SCOPE = "io.headgate.pool";

  /// The columns of an entry in the order in which the schema's trigger hashes them.
  private static final List<String> AUDITED =
      List.of(
          "audit_id",
          "at",
          "tenant_id",
          "actor",
          "request_id",
          "action",
          "target",
          "fields",
          "before",
          "after");

  private final Database database;
  private final PostgresSupplyStore store;
  private final WatchHub watchers;
  private final PageTokens tokens;
  private final Catalog catalog;
  private final Drafts drafts;
  private final JointChanges joint;
  private final Nodes nodes;
  private final AuditChain audit;
  private final AuditAnchors anchors;
  private @Nullable Notifications notifications;

  private PoolService(
      PoolServiceConfig config,
      Database database,
      Telemetry telemetry,
      TimeSource time,
      ChangeFailpoint.Handler failpoints) {
    Meter meter = telemetry.meter(SCOPE);
    database.observe(meter);
    this.database = database;
    Seal seal = SealedColumns.open(database, new KeyFile(config.secretsDirectory()), time);
    this.store = new PostgresSupplyStore(database, seal, config.catalogLog(), time);
    this.watchers = new WatchHub("catalog", config.watch(), meter);
    this.tokens = new PageTokens(store.pageTokenKey(PageTokens.KEY_LENGTH));
    Changes changes = new Changes(store, new PoolMetrics(meter), watchers::committed);
    this.catalog = new Catalog(store);
    this.drafts = new Drafts(changes, time);
    this.joint = new JointChanges(changes, time, failpoints);
    this.nodes = new Nodes(changes, time);
    this.audit = new AuditChain(database, AUDITED);
    this.anchors = new AuditAnchors("pool", audit, meter);
  }

  /// Connects to the database and migrates its schema.
  public static PoolService open(PoolServiceConfig config, Telemetry telemetry, TimeSource time) {
    return open(config, telemetry, time, ChangeFailpoint.Handler.NONE);
  }

  /// With failpoints, for tests.
  public static PoolService open(
      PoolServiceConfig config,
      Telemetry telemetry,
      TimeSource time,
      ChangeFailpoint.Handler failpoints) {
    Database database = Database.open(config.database());
    try {
      return new PoolService(config, database, telemetry, time, failpoints);
    } catch (RuntimeException | Error e) {
      database.close();
      throw e;
    }
  }

  /// The commands for the key-encryption key of the service on this database.
  public static EncryptionKeyCommands encryptionKey(DatabaseConfig config, Path secrets) {
    return new EncryptionKeyCommands(config, secrets, SealedColumns.RENEWABLE, _ -> {});
  }

  /// Registers the gRPC services with a server.
  public void register(ApiServer.Builder api) {
    api.service(new PoolEndpoint(drafts, tokens))
        .service(new ProfileEndpoint(drafts, tokens))
        .service(new ConfigurationEndpoint(drafts, joint, catalog, watchers, tokens))
        .service(new NodeEndpoint(nodes, tokens))
        .service(new AuditEndpoint(audit));
  }

  /// Starts to listen for commits of the service's other processes.
  public void start() {
    notifications = store.listen(watchers::committed);
    anchors.start();
  }

  /// Ends watches and closes the connections.
  @Override
  public void close() {
    anchors.close();
    watchers.close();
    if (notifications != null) {
      notifications.close();
    }
    database.close();
  }
}
