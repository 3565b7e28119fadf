package io.headgate.pool.store;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.Notifications;
import io.headgate.kit.db.Reach;
import io.headgate.kit.db.RequestLog;
import io.headgate.kit.db.SharedSecrets;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.runtime.Caller;
import io.headgate.pool.runtime.SupplyStore;
import io.headgate.pool.runtime.SupplyTransaction;
import io.headgate.pool.runtime.SupplyView;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The supply in the schema `pool`.
public final class PostgresSupplyStore implements SupplyStore {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresSupplyStore.class);
  private static final Duration RECONNECT = Duration.ofSeconds(1);
  private static final String PAGE_TOKENS = "page-tokens";

  private final Database database;
  private final Seal seal;
  private final RequestLog requests;
  private final TimeSource time;
  private final int catalogLog;

  /// @param catalogLog number of catalog versions that are remembered
  public PostgresSupplyStore(Database database, Seal seal, int catalogLog, TimeSource time) {
    this.database = database;
    this.seal = seal;
    this.requests = new RequestLog(time, seal);
    this.catalogLog = catalogLog;
    this.time = time;
  }

  @Override
  public <T> Committed<T> change(Caller caller, Function<SupplyTransaction, T> work) {
    return database.transaction(
        Principals.reach(),
        db -> {
          PostgresTransaction transaction =
              new PostgresTransaction(db, seal, requests, caller, time.instant());
          T value = work.apply(transaction);
          OptionalLong version = transaction.finish(catalogLog);
          return new Committed<>(value, version);
        });
  }

  @Override
  public <T> T read(Function<SupplyView, T> work) {
    return database.snapshot(Principals.reach(), db -> work.apply(new PostgresView(db, seal)));
  }

  @Override
  public <T> T readAcrossTenants(Function<SupplyView, T> work) {
    return database.snapshot(Reach.EVERY_TENANT, db -> work.apply(new PostgresView(db, seal)));
  }

  /// Passes the commits of other processes to `watchers`, until closed.
  public Notifications listen(LongConsumer watchers) {
    return Notifications.listen(
        database.dataSource(),
        PostgresTransaction.CHANNEL,
        RECONNECT,
        payload -> {
          try {
            watchers.accept(Long.parseLong(payload));
          } catch (NumberFormatException e) {
            LOG.warn("'{}' is no version of the catalog", payload);
          }
        });
  }

  /// The key of page tokens; the first process that needs it creates it.
  ///
  /// @param length in bytes
  public byte[] pageTokenKey(int length) {
    return new SharedSecrets(database, seal, "secrets", "use").get(PAGE_TOKENS, length);
  }
}
