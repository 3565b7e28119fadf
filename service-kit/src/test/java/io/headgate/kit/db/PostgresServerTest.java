package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.Secret;
import io.headgate.kit.db.PostgresServer.Durability;
import io.headgate.kit.testing.TestJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
@Order(1) // It takes longest.
class PostgresServerTest {
  /// An initialised server that each test gets a copy of: making one takes longer than most tests.
  @TempDir static Path template;

  @TempDir Path directory;

  @BeforeAll
  static void initialise() {
    PostgresServer.start(template.resolve("pg"), Durability.FULL).close();
  }

  @BeforeEach
  void copy() throws Exception {
    Process copy =
        new ProcessBuilder("cp", "-a", template.resolve("pg").toString(), directory.toString())
            .inheritIO()
            .start();
    assertThat(copy.waitFor()).isZero();
  }

  @Test
  void keepsItsDataOverARestart() throws Exception {
    try (PostgresServer server = start()) {
      run(
          server.provision("shop", "shelf").asOwner(),
          "create table t (n int)",
          "insert into t values (7)");
    }
    assertThat(postmaster()).as("stopped in order").doesNotExist();
    try (PostgresServer server = start()) {
      assertThat(one(server.provision("shop", "shelf").asOwner(), "select n from t"))
          .isEqualTo("7");
    }
  }

  @Test
  void isDurable() throws Exception {
    try (PostgresServer server = start()) {
      DatabaseConfig database = server.provision("shop", "shelf").asOwner();
      for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
        assertThat(one(database, "show " + setting)).as(setting).isEqualTo("on");
      }
      assertThat(one(database, "show data_checksums")).isEqualTo("on");
    }
  }

  @Test
  void letsNobodyInWithoutThePassword() throws Exception {
    try (PostgresServer server = start()) {
      for (String user : List.of("headgate", "postgres", "shelf")) {
        assertThatThrownBy(() -> DriverManager.getConnection(server.url("postgres"), user, ""))
            .isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> DriverManager.getConnection(server.url("postgres"), user, "x"))
            .isInstanceOf(SQLException.class);
      }
      DatabaseConfig database = server.provision("shop", "shelf").asOwner();
      assertThat(one(database, "select current_user")).isEqualTo("shelf");
      assertThat(server.admin().setting("listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(server.admin().setting("unix_socket_directories")).isEmpty();
      Path password = directory.resolve("pg/password");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(password)))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void keepsServicesApart() throws Exception {
    try (PostgresServer server = start()) {
      DatabaseConfig shelf = server.provision("shop", "shelf").asOwner();
      DatabaseConfig till = server.provision("shop", "till").asOwner();
      run(shelf, "create table shelf.t (n int)");
      assertThatThrownBy(() -> one(till, "select count(*) from shelf.t"))
          .hasMessageContaining("permission denied");
      assertThatThrownBy(() -> run(till, "create schema other"))
          .hasMessageContaining("permission denied");
      assertThatThrownBy(() -> run(till, "create table public.t (n int)"))
          .hasMessageContaining("permission denied");
      assertThat(one(till, "select rolsuper from pg_roles where rolname = 'till'")).isEqualTo("f");
      assertThat(server.provision("shop", "till").asOwner().password()).isEqualTo(till.password());
    }
  }

  /// Versions before this one made one role, which owns the schema.
  @Test
  void givesAnEarlierInstallationItsSecondRole() throws Exception {
    try (PostgresServer server = start()) {
      Secret superuser = Secret.of(Files.readString(directory.resolve("pg/password")).strip());
      run(
          DatabaseConfig.of(server.url("postgres"), "headgate", superuser, "public"),
          "create database shop",
          "create role shelf login noinherit password 'early'");
      run(
          DatabaseConfig.of(server.url("shop"), "headgate", superuser, "public"),
          "create schema shelf authorization shelf");
      DatabaseConfig early =
          DatabaseConfig.of(server.url("shop"), "shelf", Secret.of("early"), "shelf");
      try (Database before = Database.open(early)) {
        before.jooq().execute("create table kept as select 7 as n");
      }
      try (Database after = Database.open(server.provision("shop", "shelf"))) {
        assertThat(after.jooq().fetchValue("select current_user")).isEqualTo("shelf_writer");
        assertThat(after.jooq().fetchValue("select n from kept")).isEqualTo(7);
        assertThatThrownBy(() -> after.jooq().execute("drop table kept"))
            .hasMessageContaining("must be owner");
      }
    }
  }

  @Test
  void refusesNamesThatCouldBeQuotedOut() {
    try (PostgresServer server = start()) {
      assertThatThrownBy(() -> server.provision("shop", "x; drop schema y"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void refusesADirectoryThatIsInUse() {
    try (PostgresServer server = start()) {
      assertThat(server.port()).isPositive();
      assertThatThrownBy(this::start)
          .hasMessageContaining("in use by process " + ProcessHandle.current().pid());
    }
    start().close();
  }

  @Test
  void refusesDataOfAnotherVersion() throws Exception {
    start().close();
    Files.writeString(directory.resolve("pg/data/PG_VERSION"), "12\n");
    assertThatThrownBy(this::start).hasMessageContaining("written by PostgreSQL 12");
  }

  @Test
  void beginsAnewAfterACrashWhileInitialising() throws Exception {
    Path crashed = directory.resolve("crashed");
    Files.createDirectories(crashed.resolve("data.new/half"));
    try (PostgresServer server = PostgresServer.start(crashed, Durability.NONE)) {
      assertThat(server.port()).isPositive();
    }
  }

  @Test
  void adoptsTheServerOfAKilledJvm() throws Exception {
    Process jvm = startInAnotherJvm();
    long server = postmasterPid();
    kill(jvm);
    assertThat(runs(server)).as("it outlives the JVM").isTrue();
    try (PostgresServer adopted = start()) {
      assertThat(postmasterPid()).isEqualTo(server);
      assertThat(one(adopted.provision("shop", "shelf").asOwner(), "select n from t"))
          .isEqualTo("42");
    }
    awaitEnd(server);
  }

  @Test
  void startsAServerThatDiesAgainWhereItWas() throws Exception {
    try (PostgresServer server = start().restartWhenItDies()) {
      DatabaseConfig database = server.provision("shop", "shelf").asOwner();
      run(database, "create table t (n int)", "insert into t values (7)");
      for (int i = 0; i < 2; i++) {
        long killed = postmasterPid();
        kill(killed);
        await()
            .atMost(Duration.ofSeconds(120))
            .ignoreExceptions()
            .until(() -> one(database, "select n from t").equals("7"));
        assertThat(postmasterPid()).isNotEqualTo(killed);
      }
    }
    assertThat(postmaster()).as("stopped in order, and not revived").doesNotExist();
  }

  @Test
  void recoversWhenServerAndJvmAreKilled() throws Exception {
    Process jvm = startInAnotherJvm();
    long server = postmasterPid();
    kill(jvm);
    kill(server);
    try (PostgresServer recovered = start()) {
      assertThat(postmasterPid()).isNotEqualTo(server);
      assertThat(one(recovered.provision("shop", "shelf").asOwner(), "select n from t"))
          .isEqualTo("42");
    }
  }

  @Test
  void replacesALeftServerThatIsLessDurable() throws Exception {
    Process jvm = startInAnotherJvm("NONE");
    long server = postmasterPid();
    kill(jvm);
    try (PostgresServer replaced = start()) {
      assertThat(postmasterPid()).isNotEqualTo(server);
      assertThat(one(replaced.provision("shop", "shelf"), "show fsync")).isEqualTo("on");
    }
  }

  @Test
  void isNotFooledByAnotherProcessOfTheSameNumber() throws Exception {
    start().close();
    Process other = new ProcessBuilder("sleep", "600").start();
    try {
      Files.writeString(
          postmaster(), other.pid() + "\n" + directory.resolve("pg/data") + "\n1\n5432\n\n\n");
      start().close();
      assertThat(other.isAlive()).as("it is left alone").isTrue();
    } finally {
      other.destroyForcibly();
    }
  }

  private PostgresServer start() {
    return PostgresServer.start(directory.resolve("pg"), Durability.FULL);
  }

  private Path postmaster() {
    return directory.resolve("pg/data/postmaster.pid");
  }

  private long postmasterPid() throws IOException {
    return Long.parseLong(Files.readAllLines(postmaster()).getFirst());
  }

  private Process startInAnotherJvm() throws Exception {
    return startInAnotherJvm("FULL");
  }

  /// A JVM that starts a server in the directory, writes 42 into it and waits to be killed.
  private Process startInAnotherJvm(String durability) throws Exception {
    List<String> command = TestJvm.command();
    command.addAll(
        List.of(
            "-classpath",
            System.getProperty("java.class.path"),
            KilledOwner.class.getName(),
            directory.resolve("pg").toString(),
            durability));
    Process jvm =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader said = jvm.inputReader(StandardCharsets.UTF_8);
    assertThat(said.readLine()).isEqualTo("ready");
    return jvm;
  }

  private static void kill(Process process) throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /// Not merely a number that its parent has not yet taken note of.
  private boolean runs(long pid) {
    return new PostmasterFile(pid, 0).isAlive(directory.resolve("pg/data"));
  }

  private void kill(long pid) {
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    process.destroyForcibly();
    awaitEnd(pid);
  }

  /// A server that was stopped has said so in its directory shortly before its process ends.
  private void awaitEnd(long pid) {
    await().atMost(Duration.ofSeconds(60)).until(() -> !runs(pid));
  }

  private static void run(DatabaseConfig database, String... statements) throws SQLException {
    try (Connection connection = connect(database);
        var statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static String one(DatabaseConfig database, String query) throws SQLException {
    try (Connection connection = connect(database);
        var statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static Connection connect(DatabaseConfig database) throws SQLException {
    Secret password = database.password();
    return DriverManager.getConnection(
        database.url() + "?currentSchema=" + database.schema(), database.user(), password.reveal());
  }
}
