package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Values of earlier versions are sealed by a start, however often it is interrupted.
final class OpenColumnsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("letters");

  private static final int LETTERS = 1_234;
  private static final OpenColumns.Column COLUMN =
      new OpenColumns.Column("letter", List.of("id"), "open_body", "body");

  @Test
  void sealsAllInBatchesAndGoesOnAfterAnInterruption() {
    try (Database database = Database.open(POSTGRES.fresh())) {
      Seal seal = TestSecrets.seal(database);
      database
          .jooq()
          .execute(
              "insert into letter (id, open_body) select n, 'päper ' || n"
                  + " from generate_series(1, ?) n",
              LETTERS);
      OpenColumns values = new OpenColumns(database, seal);
      assertThatThrownBy(() ->
              values.seal(
                  COLUMN,
                  (stored, place) -> {
                    if (place.row().equals(List.of("700"))) {
                      throw new IllegalStateException("the process is killed");
                    }
                    return stored;
                  }))
          .hasMessageContaining("killed");
      assertThat(open(database)).isEqualTo(LETTERS - 500);
      values.seal(COLUMN);
      assertThat(open(database)).isZero();
      for (int id : List.of(1, 500, 501, 700, LETTERS)) {
        byte[] body =
            database
                .jooq()
                .fetchSingle("select body from letter where id = ?", id)
                .get(0, byte[].class);
        assertThat(seal.openText(body, SealedPlace.of("letter", "body", "" + id)))
            .isEqualTo("päper " + id);
      }
    }
  }

  @Test
  void sealsInTheOrderOfTheKeyForAPlaceWithFurtherValues() {
    try (Database database = Database.open(POSTGRES.fresh())) {
      database
          .jooq()
          .execute(
              "insert into letter (id, open_body) select n, 'x' from generate_series(1, ?) n",
              LETTERS);
      List<Long> read = new ArrayList<>();
      OpenColumns.Column bound =
          new OpenColumns.Column(
              "letter", List.of("id"), List.of("select letter.id * 2"), "open_body", "body");
      Seal seal = TestSecrets.seal(database);
      new OpenColumns(database, seal)
          .seal(
              bound,
              (stored, place) -> {
                read.add(Long.valueOf(place.row().getFirst()));
                return stored;
              });
      assertThat(read).hasSize(LETTERS).isSorted();
      byte[] body =
          database.jooq().fetchSingle("select body from letter where id = 7").get(0, byte[].class);
      assertThat(seal.openText(body, SealedPlace.of("letter", "body", "7", "14"))).isEqualTo("x");
    }
  }

  @Test
  void theDatabaseRefusesAValueInClearText() {
    assertThatThrownBy(() ->
            POSTGRES
                .database()
                .jooq()
                .execute("insert into letter (id, body) values (1, 'hello'::bytea)"))
        .hasMessageContaining("violates check constraint");
  }

  private static int open(Database database) {
    return database
        .jooq()
        .fetchSingle("select count(*) from letter where open_body is not null")
        .get(0, int.class);
  }
}
