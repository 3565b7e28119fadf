package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.ACCESS_WATCH;
import static io.headgate.policy.store.jooq.Tables.REVOCATIONS;
import static io.headgate.policy.store.jooq.Tables.REVOCATION_WATCH;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.val;

import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.auth.Revocations.Revocation;
import io.headgate.kit.position.WatchPosition;
import io.headgate.policy.runtime.port.RevocationTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongConsumer;
import org.jooq.DSLContext;

/// Rows of `revocations`.
final class PostgresRevocations implements RevocationTable {
  static final String CHANNEL = "policy_revocations";

  /// Longer than any token lives.
  private static final Duration KEPT = Duration.ofHours(1);

  private final DSLContext dsl;
  private final LongConsumer version;

  /// @param version receives the watch's version when this transaction changes it
  PostgresRevocations(DSLContext dsl, LongConsumer version) {
    this.dsl = dsl;
    this.version = version;
  }

  @Override
  public void add(String name, Instant at) {
    // The lock lasts until the commit, so versions are committed in order.
    long next =
        dsl.update(REVOCATION_WATCH)
            .set(REVOCATION_WATCH.VERSION, REVOCATION_WATCH.VERSION.plus(1))
            .returningResult(REVOCATION_WATCH.VERSION)
            .fetchSingle()
            .value1();
    dsl.insertInto(REVOCATIONS)
        .set(REVOCATIONS.NAME, name)
        .set(REVOCATIONS.VERSION, next)
        .set(REVOCATIONS.REVOKED_AT, at)
        .onConflict(REVOCATIONS.NAME)
        .doUpdate()
        .set(REVOCATIONS.VERSION, next)
        .set(REVOCATIONS.REVOKED_AT, at)
        .execute();
    dsl.deleteFrom(REVOCATIONS).where(REVOCATIONS.REVOKED_AT.lt(at.minus(KEPT))).execute();
    version.accept(next);
    dsl.select(function("pg_notify", Object.class, val(CHANNEL), val(Long.toString(next))))
        .execute();
  }

  @Override
  public WatchPosition position() {
    return dsl.select(ACCESS_WATCH.INCARNATION, REVOCATION_WATCH.VERSION)
        .from(ACCESS_WATCH)
        .crossJoin(REVOCATION_WATCH)
        .fetchSingle(row -> new WatchPosition(row.value1().toString(), row.value2()));
  }

  @Override
  public News since(WatchPosition watcher) {
    WatchPosition current = position();
    boolean snapshot =
        !watcher.incarnation().equals(current.incarnation())
            || watcher.version() == 0
            || watcher.version() > current.version();
    List<Revocation> revocations =
        dsl.selectFrom(REVOCATIONS)
            .where(REVOCATIONS.VERSION.gt(snapshot ? 0 : watcher.version()))
            .orderBy(REVOCATIONS.VERSION)
            .fetch(row -> new Revocation(row.getVersion(), row.getName()));
    return new News(current, snapshot, revocations);
  }
}
