package io.headgate.kit.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.conf.MappedSchema;
import org.jooq.conf.MappedTable;
import org.jooq.conf.RenderMapping;
import org.jooq.conf.Settings;
import org.jooq.conf.SettingsTools;
import org.jooq.impl.DSL;

/// One schema of a PostgreSQL database: a bounded connection pool with timeouts against dead or
/// frozen servers. Opening it migrates the schema to the version of this build, as the owner of the
/// schema where one is configured. Thread-safe.
public final class Database implements AutoCloseable {

  /// The policies of row-level security compare a row's tenant with this setting.
  private static final String REACH = "select set_config('headgate.tenant', ?, true)";

  /// Both statements go to the server at once.
  private static final String SNAPSHOT =
      "set transaction isolation level repeatable read, read only; ";

  private static final Pattern ANY = Pattern.compile(".*");

  private final DatabaseConfig config;
  private final HikariDataSource pool;
  private final DSLContext jooq;
  private final List<HikariDataSource> reserved = new CopyOnWriteArrayList<>();

  private Database(DatabaseConfig config, HikariDataSource pool, DSLContext jooq) {
    this.config = config;
    this.pool = pool;
    this.jooq = jooq;
  }

  /// Connects, checks that the server keeps acknowledged commits, and migrates the schema with the
  /// scripts in `classpath:db/migration/<schema>`.
  ///
  /// @throws DatabaseUnreachableException if the server cannot be reached or refuses the login
  /// @throws UnsafeDurabilityException if the server may lose commits and the configuration forbids
  ///   it
  public static Database open(DatabaseConfig config) {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    HikariDataSource pool = connect(config);
    try {
      if (!config.allowUnsafeDurability()) {
        refuseUnsafeDurability(pool);
      }
      Migration.run(config, pool);
      Settings settings =
          new Settings().withExecuteLogging(false).withReturnAllOnUpdatableRecord(true);
      return new Database(config, pool, DSL.using(pool, SQLDialect.POSTGRES, settings));
    } catch (RuntimeException | Error e) {
      pool.close();
      throw e;
    }
  }

  /// Runs statements, each in its own transaction unless inside `transaction(...)`.
  public DSLContext jooq() {
    return jooq;
  }

  /// Runs `work` in one transaction. Every transaction begins here or in [#snapshot], so each says
  /// whose rows it reaches.
  public <T> T transaction(Reach reach, Function<DSLContext, T> work) {
    return jooq.transactionResult(inside -> {
      inside.dsl().execute(REACH, reach.setting());
      return work.apply(inside.dsl());
    });
  }

  /// Runs `work` on one snapshot of the database.
  public <T> T snapshot(Reach reach, Function<DSLContext, T> work) {
    return jooq.transactionResult(inside -> {
      inside.dsl().execute(SNAPSHOT + REACH, reach.setting());
      return work.apply(inside.dsl());
    });
  }

  /// Statements that reach every tenant's rows, each in its own transaction unless inside
  /// `transaction(...)`: for work of the service itself. They have connections of their own.
  ///
  /// @param connections upper bound
  public DSLContext acrossTenants(int connections) {
    return DSL.using(
        reserve("across-tenants", connections, Reach.EVERY_TENANT.asSettings()),
        SQLDialect.POSTGRES,
        jooq.settings());
  }

  /// Statements that read `view` wherever they name `table`.
  public static DSLContext instead(DSLContext sql, Table<?> table, Table<?> view) {
    MappedTable mapped = new MappedTable().withInput(table.getName()).withOutput(view.getName());
    MappedSchema schema = new MappedSchema().withInputExpression(ANY).withTables(mapped);
    Settings settings = SettingsTools.clone(sql.settings());
    return DSL.using(
        sql.configuration()
            .derive(settings.withRenderMapping(new RenderMapping().withSchemata(schema))));
  }

  public DataSource dataSource() {
    return pool;
  }

  /// Name of the schema.
  public String schema() {
    return config.schema();
  }

  /// A pool of its own for work that must not wait behind other work. Its connections cache
  /// prepared statements from their first use, so the work should use few distinct statements.
  ///
  /// @param name of the pool
  /// @param connections upper bound
  /// @param settings of the server for these connections, for example `plan_cache_mode`
  public DataSource reserve(String name, int connections, Map<String, String> settings) {
    HikariConfig own = poolConfig(config.withMaxConnections(connections));
    own.setPoolName(config.schema() + "-" + name);
    own.setMinimumIdle(1);
    own.addDataSourceProperty("prepareThreshold", "1");
    own.addDataSourceProperty(
        "options",
        settings.entrySet().stream()
            .map(setting -> "-c " + setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining(" ")));
    HikariDataSource some = new HikariDataSource(own);
    reserved.add(some);
    return some;
  }

  /// The current use of the pool.
  public PoolUsage usage() {
    var bean = pool.getHikariPoolMXBean();
    return new PoolUsage(
        bean.getActiveConnections(),
        bean.getIdleConnections(),
        bean.getThreadsAwaitingConnection(),
        pool.getMaximumPoolSize());
  }

  /// Registers metrics of the pool for its lifetime.
  public void observe(Meter meter) {
    gauge(meter, ServiceMetrics.CONNECTIONS_ACTIVE, PoolUsage::active);
    gauge(meter, ServiceMetrics.CONNECTIONS_IDLE, PoolUsage::idle);
    gauge(meter, ServiceMetrics.CONNECTIONS_WAITING, PoolUsage::waiting);
    gauge(meter, ServiceMetrics.CONNECTIONS_MAX, PoolUsage::max);
  }

  private void gauge(Meter meter, MetricDefinition definition, ToIntFunction<PoolUsage> value) {
    definition
        .gauge(meter)
        .ofLongs()
        .buildWithCallback(gauge -> {
          if (!pool.isClosed()) {
            gauge.record(
                value.applyAsInt(usage()),
                Attributes.of(ServiceMetrics.SCHEMA, pool.getPoolName()));
          }
        });
  }

  /// Connections in use, idle connections, threads that wait for one, and the upper bound.
  public record PoolUsage(int active, int idle, int waiting, int max) {}

  @Override
  public void close() {
    reserved.forEach(HikariDataSource::close);
    pool.close();
  }

  private static HikariDataSource connect(DatabaseConfig config) {
    return connect(config, poolConfig(config));
  }

  /// Without a limit on the time of an answer.
  static HikariDataSource connectPatiently(DatabaseConfig config) {
    HikariConfig patient = poolConfig(config);
    patient.addDataSourceProperty("socketTimeout", "0");
    return connect(config, patient);
  }

  private static HikariDataSource connect(DatabaseConfig config, HikariConfig pool) {
    try {
      return new HikariDataSource(pool);
    } catch (PoolInitializationException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new DatabaseUnreachableException(
          "cannot connect to "
              + config.url()
              + " as "
              + config.user()
              + " for schema "
              + config.schema()
              + ": "
              + cause.getMessage()
              + "; start the database, or correct database.url and the roles' names and passwords",
          cause);
    }
  }

  private static HikariConfig poolConfig(DatabaseConfig config) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName(config.schema());
    pool.setJdbcUrl(config.url());
    pool.setUsername(config.user());
    pool.setPassword(config.password().reveal());
    pool.setSchema(config.schema());
    pool.setMaximumPoolSize(config.maxConnections());
    pool.setMinimumIdle(Math.min(2, config.maxConnections()));
    pool.setConnectionTimeout(Math.max(250, config.connectTimeout().toMillis()));
    pool.setInitializationFailTimeout(config.connectTimeout().toMillis());
    // Without timeouts, a connection to a frozen or vanished server waits forever.
    pool.addDataSourceProperty("connectTimeout", seconds(config.connectTimeout().toSeconds()));
    pool.addDataSourceProperty("socketTimeout", seconds(config.socketTimeout().toSeconds()));
    pool.addDataSourceProperty("tcpKeepAlive", "true");
    pool.addDataSourceProperty("ApplicationName", "headgate-" + config.schema());
    pool.addDataSourceProperty("reWriteBatchedInserts", "true");
    return pool;
  }

  private static String seconds(long seconds) {
    return Long.toString(Math.max(1, seconds));
  }

  private static void refuseUnsafeDurability(DataSource pool) {
    List<String> off = new ArrayList<>();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
        try (var row = statement.executeQuery("show " + setting)) {
          if (row.next() && row.getString(1).equals("off")) {
            off.add(setting);
          }
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot read the settings of PostgreSQL", e);
    }
    if (!off.isEmpty()) {
      throw new UnsafeDurabilityException(off);
    }
  }
}
