package io.headgate.policy.store;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.RequestLog;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.runtime.port.PolicyStore;
import io.headgate.policy.runtime.port.Tables;
import java.util.function.Function;
import org.jooq.DSLContext;

/// The durable state in the PostgreSQL schema `policy`. Thread-safe.
public final class PostgresPolicyStore implements PolicyStore {
  private final DSLContext jooq;
  private final RequestLog requests;
  private final CommitListener committed;

  /// @param committed hears of each commit that changed the version of a watch
  public PostgresPolicyStore(Database database, TimeSource time, CommitListener committed) {
    this.jooq = database.jooq();
    this.requests = new RequestLog(time);
    this.committed = committed;
  }

  @Override
  public <T> T read(Function<Tables, T> work) {
    return jooq.transactionResult(transaction -> {
      DSLContext dsl = transaction.dsl();
      dsl.execute("set transaction isolation level repeatable read, read only");
      return work.apply(new PostgresTables(dsl, requests, CommitListener.NONE));
    });
  }

  @Override
  public <T> T change(Function<Tables, T> work) {
    Versions versions = new Versions();
    T result =
        jooq.transactionResult(
            transaction -> work.apply(new PostgresTables(transaction.dsl(), requests, versions)));
    versions.tell(committed);
    return result;
  }

  /// The versions of one transaction. Confined to its thread.
  private static final class Versions implements CommitListener {
    private long access;
    private long revocations;

    @Override
    public void access(long version) {
      access = version;
    }

    @Override
    public void revocations(long version) {
      revocations = version;
    }

    void tell(CommitListener committed) {
      // First, so that the right is withdrawn before the caller gets its answer.
      if (revocations != 0) {
        committed.revocations(revocations);
      }
      if (access != 0) {
        committed.access(access);
      }
    }
  }
}
