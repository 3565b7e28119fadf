package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.testing.PostgresFixture;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Values bound as columns arrive unchanged.
final class ColumnsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final String COPY =
      """
      create temporary table copy on commit drop as
      select * from unnest(?::bigint[], ?::integer[], ?::text[], ?::boolean[], ?::bytea[],
        ?::timestamptz[], ?::text[]) as rows (a, b, c, d, e, f, g)\
      """;

  private static final String READ =
      """
      select concat_ws('|', coalesce(a::text, '-'), coalesce(b::text, '-'), coalesce(c, '-'),
        coalesce(d::text, '-'), encode(e, 'hex'),
        coalesce(to_char(f at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '-'),
        array_to_string(g::text[], ';'))
      from copy\
      """;

  private record Row(
      @Nullable Long a,
      @Nullable Integer b,
      @Nullable String c,
      @Nullable Boolean d,
      String e,
      @Nullable Instant f,
      List<String> g) {}

  private static List<String> arrived(List<Row> rows) throws SQLException {
    List<String> read = new ArrayList<>();
    try (Database database = Database.open(POSTGRES.fresh().asOwner());
        Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      new Script()
          .add(
              COPY,
              new Columns<>(rows)
                  .bigint(Row::a)
                  .integer(Row::b)
                  .text(Row::c)
                  .bool(Row::d)
                  .bytes(row -> row.e().getBytes(StandardCharsets.UTF_8))
                  .time(Row::f)
                  .list(Row::g))
          .run(connection);
      try (var statement = connection.createStatement();
          var result = statement.executeQuery(READ)) {
        while (result.next()) {
          read.add(Objects.requireNonNull(result.getString(1)));
        }
      }
      connection.rollback();
    }
    return read;
  }

  @Test
  void everyTypeArrivesAsItWas() throws SQLException {
    assertThat(
            arrived(
                List.of(
                    new Row(
                        Long.MIN_VALUE,
                        Integer.MAX_VALUE,
                        "Zoë \"{},\\ 東",
                        true,
                        "ab",
                        Instant.parse("2026-11-22T18:00:00.123456Z"),
                        List.of("k=v", "x=\"y\\")),
                    new Row(null, null, null, null, "", null, List.of()),
                    new Row(
                        7L,
                        -1,
                        "",
                        false,
                        "c",
                        Instant.parse("1999-12-31T23:59:59.999999Z"),
                        List.of("one")))))
        .containsExactly(
            "-9223372036854775808|2147483647|Zoë \"{},\\ 東|true|6162"
                + "|2026-11-22T18:00:00.123456|k=v;x=\"y\\",
            "-|-|-|-||-|",
            "7|-1||false|63|1999-12-31T23:59:59.999999|one");
  }

  @Test
  void manyRowsArriveAndNoneAtAll() throws SQLException {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      rows.add(new Row((long) i, i, "text".repeat(i % 50), null, "", null, List.of()));
    }
    assertThat(arrived(rows))
        .hasSize(1000)
        .last()
        .isEqualTo("999|999|" + "text".repeat(49) + "|-||-|");
    assertThat(arrived(List.of())).isEmpty();
  }
}
