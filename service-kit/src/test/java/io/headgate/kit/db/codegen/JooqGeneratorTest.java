package io.headgate.kit.db.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class JooqGeneratorTest {
  @TempDir Path directory;

  @Test
  void generatesWhatTheMigrationsMakeAndOnlyWhenTheyChange() throws Exception {
    Path migrations = Files.createDirectories(directory.resolve("migrations"));
    Path things = directory.resolve("out/org/example/jooq/tables/Thing.java");
    Files.writeString(
        migrations.resolve("V1__thing.sql"),
        "create table thing (id bigint primary key, made_at timestamptz not null);");
    generate(migrations);
    assertThat(things).content().contains("TableField<ThingRecord, Instant> MADE_AT");
    assertThat(directory.resolve("out/org/example/jooq/tables/FlywaySchemaHistory.java"))
        .doesNotExist();
    assertThat(directory.resolve("work")).as("the server is gone").isEmptyDirectory();

    FileTime first = Files.getLastModifiedTime(things);
    generate(migrations);
    assertThat(Files.getLastModifiedTime(things)).isEqualTo(first);

    Files.writeString(
        migrations.resolve("V2__name.sql"), "alter table thing add column name text;");
    generate(migrations);
    assertThat(things).content().contains("> NAME");
  }

  @Test
  void refusesADirectoryWithoutMigrations() throws Exception {
    Path empty = Files.createDirectories(directory.resolve("empty"));
    assertThatThrownBy(() -> generate(empty)).hasMessageContaining("no migrations in " + empty);
  }

  private void generate(Path migrations) throws Exception {
    JooqGenerator.main(
        new String[] {
          "shop",
          migrations.toString(),
          "org.example.jooq",
          directory.resolve("out").toString(),
          directory.resolve("work").toString()
        });
  }
}
