package io.headgate.kit.testing.good.store;

import io.headgate.kit.testing.good.runtime.Loop;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// The store keeps jOOQ to itself.
public final class PostgresRows implements Loop.Rows {
  private final DSLContext jooq;

  public PostgresRows(DSLContext jooq) {
    this.jooq = jooq;
  }

  @Override
  public void commit(int effects) {
    jooq.insertInto(DSL.table("rows"), DSL.field("n")).values(effects).execute();
  }
}
