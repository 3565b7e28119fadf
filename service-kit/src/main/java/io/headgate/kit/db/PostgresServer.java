package io.headgate.kit.db;

import io.headgate.kit.db.PostgresCommand.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A PostgreSQL server that this process starts and stops, with a persistent data directory. It
/// listens on loopback only and accepts only a random password (scram-sha-256) from a file of mode
/// 0600. It has no Unix socket.
///
/// The server survives a JVM that is killed. The next start on the same directory adopts it if it
/// answers and has the requested durability; otherwise it is stopped and restarted. A lock prevents
/// two JVMs from using one directory.
public final class PostgresServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresServer.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
  private static final int START_ATTEMPTS = 5;

  /// Interval of the liveness check; the server is not a child process, so its death causes no
  /// signal.
  private static final Duration LOOK = Duration.ofMillis(500);

  private static final String USER = "headgate";
  private static final long MAX_LOG_BYTES = 8L << 20;

  /// Whether an acknowledged commit survives a crash of the machine.
  public enum Durability {
    /// `fsync`, `synchronous_commit` and `full_page_writes` on.
    FULL,
    /// All three off, for tests and code generation.
    NONE
  }

  private final PostgresDirectory directory;
  private final PostgresCommand command;
  private final Durability durability;
  private final PostgresAdmin admin;
  private final CountDownLatch ending = new CountDownLatch(1);
  private volatile int port;
  private boolean closed; // Guarded by this.

  private PostgresServer(
      PostgresDirectory directory, PostgresCommand command, Durability durability) {
    this.directory = directory;
    this.command = command;
    this.durability = durability;
    this.admin = new PostgresAdmin(this::url, USER, directory.password());
  }

  /// Starts or adopts the server with its data in `path`.
  ///
  /// @throws IllegalStateException if another live process uses the directory, or the server does
  ///   not start; the message gives the reason
  public static PostgresServer start(Path path, Durability durability) {
    PostgresDirectory directory = PostgresDirectory.lock(path);
    try {
      PostgresCommand command = new PostgresCommand(PostgresBinaries.unpacked());
      PostgresServer server = new PostgresServer(directory, command, durability);
      server.initialise();
      if (!server.adopt()) {
        server.launch(PostgresServer::freePort);
      }
      return server;
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  public int port() {
    return port;
  }

  /// The JDBC URL of `database`.
  public String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
  }

  /// Ensures that `database` has a schema named `schema`, the role that owns it, and a role for the
  /// service that only works in it. Each start of this process sets new passwords.
  public DatabaseConfig provision(String database, String schema) {
    DatabaseConfig config = admin().provision(database, schema);
    return durability == Durability.NONE ? config.withUnsafeDurability() : config;
  }

  /// Administration as superuser.
  public PostgresAdmin admin() {
    return admin;
  }

  /// Enables automatic restarts on the same port after the server dies: killed, out of memory, or
  /// shut down because it could not write its log. Failed restarts are repeated.
  public PostgresServer restartWhenItDies() {
    Thread.ofPlatform().name("postgres-watch").daemon().start(this::watch);
    return this;
  }

  private void watch() {
    try {
      while (!ending.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          revive();
        } catch (RuntimeException e) {
          LOG.error("PostgreSQL died and does not start, trying again: {}", e.getMessage());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void revive() {
    PostmasterFile left = directory.postmaster();
    if (closed || (left != null && left.isAlive(directory.data()))) {
      return;
    }
    LOG.warn(
        "PostgreSQL died; starting it again. The end of its log: {}", directory.logTail().strip());
    if (left != null) {
      directory.clearStalePostmaster(left);
    }
    launch(() -> port);
    LOG.info("PostgreSQL serves again on port {}", port);
  }

  /// Stops the server: disconnects clients, rolls back their transactions and writes everything to
  /// disk.
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    ending.countDown();
    try {
      stop();
    } finally {
      directory.close();
    }
  }

  /// Stops the server and deletes its data, for tests and build steps.
  public void delete() {
    close();
    directory.delete();
  }

  private void initialise() {
    directory.requireVersion(command);
    if (directory.isInitialised()) {
      return;
    }
    // A crash during initialisation leaves the directory under another name, so that the next start
    // begins again.
    Path fresh = directory.freshData();
    List<String> arguments =
        List.of(
            "--pgdata=" + fresh,
            "--username=" + USER,
            "--pwfile=" + directory.passwordFile(),
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            durability == Durability.FULL ? "--data-checksums" : "--no-sync");
    Outcome outcome = command.run("initdb", arguments);
    if (!outcome.succeeded()) {
      throw new IllegalStateException("initdb failed: " + outcome.output());
    }
    directory.adoptFreshData(fresh);
  }

  private boolean adopt() {
    PostmasterFile left = directory.postmaster();
    if (left == null) {
      return false;
    }
    if (!left.isAlive(directory.data())) {
      directory.clearStalePostmaster(left);
      return false;
    }
    port = left.port();
    try {
      boolean durable =
          "on".equals(admin.setting("fsync")) && "on".equals(admin.setting("synchronous_commit"));
      if (durable == (durability == Durability.FULL)) {
        LOG.info("using the PostgreSQL that an earlier start left running, process {}", left.pid());
        return true;
      }
    } catch (SQLException e) {
      LOG.info(
          "the PostgreSQL that an earlier start left running does not answer: {}", e.getMessage());
    }
    stop();
    return false;
  }

  private void launch(IntSupplier ports) {
    String last = "";
    for (int attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
      port = ports.getAsInt();
      directory.writeSettings(port, durability);
      directory.rotateLog(MAX_LOG_BYTES);
      Outcome outcome =
          command.run(
              "pg_ctl",
              List.of(
                  "--pgdata=" + directory.data(),
                  "--log=" + directory.log(),
                  "--wait",
                  "--timeout=60",
                  "start"));
      if (outcome.succeeded()) {
        return;
      }
      // Another process may have taken the port, or the kernel has not yet released it.
      last = outcome.output() + "\n" + directory.logTail();
      LOG.debug("PostgreSQL did not start, attempt {}: {}", attempt, last);
    }
    throw new IllegalStateException("PostgreSQL did not start: " + last);
  }

  private void stop() {
    for (String mode : List.of("fast", "immediate")) {
      Outcome outcome =
          command.run(
              "pg_ctl",
              List.of(
                  "--pgdata=" + directory.data(),
                  "--mode=" + mode,
                  "--wait",
                  "--timeout=" + STOP_LIMIT.toSeconds(),
                  "stop"));
      if (outcome.succeeded() || directory.postmaster() == null) {
        return;
      }
      LOG.warn("PostgreSQL did not stop ({}): {}", mode, outcome.output());
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
