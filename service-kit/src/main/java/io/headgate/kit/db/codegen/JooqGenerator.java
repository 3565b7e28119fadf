package io.headgate.kit.db.codegen;

import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.db.PostgresServer.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.jooq.codegen.GenerationTool;
import org.jooq.codegen.JavaGenerator;
import org.jooq.meta.jaxb.Configuration;
import org.jooq.meta.jaxb.Database;
import org.jooq.meta.jaxb.ForcedType;
import org.jooq.meta.jaxb.Generate;
import org.jooq.meta.jaxb.Generator;
import org.jooq.meta.jaxb.Jdbc;
import org.jooq.meta.jaxb.Logging;
import org.jooq.meta.jaxb.Target;

/// A build step of each service. It runs the service's migrations in a throw-away PostgreSQL and
/// generates jOOQ classes from the resulting schema, so that code and schema agree. It does nothing
/// while the migrations are unchanged. Arguments: schema, directory of migrations, Java package,
/// output directory, working directory.
public final class JooqGenerator {
  private static final String STAMP = ".migrations.sha256";

  private final String schema;
  private final Path migrations;
  private final String javaPackage;
  private final Path output;
  private final Path work;

  private JooqGenerator(List<String> arguments) {
    this.schema = arguments.get(0);
    this.migrations = Path.of(arguments.get(1));
    this.javaPackage = arguments.get(2);
    this.output = Path.of(arguments.get(3));
    this.work = Path.of(arguments.get(4));
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 5) {
      throw new IllegalArgumentException("usage: SCHEMA MIGRATIONS PACKAGE OUTPUT WORK");
    }
    new JooqGenerator(List.of(arguments)).generate();
  }

  private void generate() throws Exception {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    String wanted = digest();
    Path stamp = output.resolve(STAMP);
    if (Files.exists(stamp) && Files.readString(stamp).equals(wanted)) {
      return;
    }
    Files.createDirectories(work);
    Path server = Files.createTempDirectory(work, "postgres");
    PostgresServer postgres = PostgresServer.start(server, Durability.NONE);
    try {
      DatabaseConfig database = postgres.provision("build", schema).asOwner();
      Flyway.configure()
          .dataSource(database.url(), database.user(), database.password().reveal())
          .schemas(schema)
          .defaultSchema(schema)
          .locations("filesystem:" + migrations.toAbsolutePath())
          .failOnMissingLocations(true)
          .load()
          .migrate();
      GenerationTool.generate(configuration(database));
    } finally {
      postgres.delete();
    }
    Files.writeString(stamp, wanted);
  }

  private Configuration configuration(DatabaseConfig database) {
    return new Configuration()
        .withLogging(Logging.WARN)
        .withJdbc(
            new Jdbc()
                .withDriver("org.postgresql.Driver")
                .withUrl(database.url())
                .withUser(database.user())
                .withPassword(database.password().reveal()))
        .withGenerator(
            new Generator()
                .withName(JavaGenerator.class.getName())
                .withDatabase(
                    new Database()
                        .withName("org.jooq.meta.postgres.PostgresDatabase")
                        .withInputSchema(schema)
                        .withExcludes("flyway_schema_history")
                        .withForcedTypes(
                            new ForcedType()
                                .withName("INSTANT")
                                .withIncludeTypes("(?i)timestamp with time zone|timestamptz")))
                .withGenerate(
                    new Generate()
                        .withRecords(true)
                        // A table that refers to itself would have two methods of one name.
                        .withImplicitJoinPathsToMany(false)
                        .withDeprecated(false)
                        .withGeneratedAnnotation(false)
                        .withJavaTimeTypes(true))
                .withTarget(
                    new Target()
                        .withPackageName(javaPackage)
                        .withDirectory(output.toAbsolutePath().toString())));
  }

  /// A digest of the migrations, the names and the version of this generator.
  private String digest() throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    String version = String.valueOf(GenerationTool.class.getPackage().getImplementationVersion());
    digest.update((version + schema + javaPackage).getBytes(StandardCharsets.UTF_8));
    List<Path> scripts;
    try (Stream<Path> files = Files.walk(migrations)) {
      scripts = files.filter(Files::isRegularFile).sorted().toList();
    }
    if (scripts.isEmpty()) {
      throw new IllegalStateException("no migrations in " + migrations.toAbsolutePath());
    }
    for (Path script : scripts) {
      digest.update(migrations.relativize(script).toString().getBytes(StandardCharsets.UTF_8));
      digest.update(Files.readAllBytes(script));
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
