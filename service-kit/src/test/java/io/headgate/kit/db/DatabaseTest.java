package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DatabaseTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("shelf");

  @Test
  void migratesAndReads() {
    var jooq = POSTGRES.database().jooq();
    jooq.insertInto(DSL.table("books"), DSL.field("id"), DSL.field("pages"))
        .values("emma", 474)
        .execute();
    assertThat(jooq.fetchCount(DSL.table("books"))).isEqualTo(1);
  }
}
