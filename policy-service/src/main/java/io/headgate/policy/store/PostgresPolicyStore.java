package io.headgate.policy.store;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.kit.db.RequestLog;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.runtime.port.PolicyStore;
import io.headgate.policy.runtime.port.Tables;
import java.util.function.Function;
import java.util.function.Supplier;

/// The durable state in the PostgreSQL schema `policy`. Thread-safe.
public final class PostgresPolicyStore implements PolicyStore {
  private final Database database;
  private final RequestLog requests;
  private final Seal seal;
  private final CommitListener committed;
  private final Supplier<Reach> reach;

  /// @param committed hears of each commit that changed the version of a watch
  public PostgresPolicyStore(
      Database database, Seal seal, TimeSource time, CommitListener committed) {
    this(database, new RequestLog(time, seal), seal, committed, Principals::reach);
  }

  private PostgresPolicyStore(
      Database database,
      RequestLog requests,
      Seal seal,
      CommitListener committed,
      Supplier<Reach> reach) {
    this.database = database;
    this.requests = requests;
    this.seal = seal;
    this.committed = committed;
    this.reach = reach;
  }

  @Override
  public PolicyStore acrossTenants() {
    return new PostgresPolicyStore(database, requests, seal, committed, () -> Reach.EVERY_TENANT);
  }

  @Override
  public <T> T read(Function<Tables, T> work) {
    return database.snapshot(
        reach.get(),
        dsl -> work.apply(new PostgresTables(dsl, requests, seal, CommitListener.NONE)));
  }

  @Override
  public <T> T change(Function<Tables, T> work) {
    Versions versions = new Versions();
    T result =
        database.transaction(
            reach.get(), dsl -> work.apply(new PostgresTables(dsl, requests, seal, versions)));
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
