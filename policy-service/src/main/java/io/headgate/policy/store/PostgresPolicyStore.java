package io.headgate.policy.store;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.RequestLog;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.runtime.port.PolicyStore;
import io.headgate.policy.runtime.port.Tables;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jooq.DSLContext;

/// The durable state in the PostgreSQL schema `policy`. Thread-safe.
public final class PostgresPolicyStore implements PolicyStore {
  private final DSLContext jooq;
  private final RequestLog requests;
  private final LongConsumer committed;

  /// @param committed receives the watch's new version after each commit that changed it
  public PostgresPolicyStore(Database database, TimeSource time, LongConsumer committed) {
    this.jooq = database.jooq();
    this.requests = new RequestLog(time);
    this.committed = committed;
  }

  @Override
  public <T> T read(Function<Tables, T> work) {
    return jooq.transactionResult(transaction -> {
      DSLContext dsl = transaction.dsl();
      dsl.execute("set transaction isolation level repeatable read, read only");
      return work.apply(new PostgresTables(dsl, requests, _ -> {}));
    });
  }

  @Override
  public <T> T change(Function<Tables, T> work) {
    AtomicLong watchVersion = new AtomicLong();
    T result =
        jooq.transactionResult(transaction ->
            work.apply(new PostgresTables(transaction.dsl(), requests, watchVersion::set)));
    if (watchVersion.get() != 0) {
      committed.accept(watchVersion.get());
    }
    return result;
  }
}
