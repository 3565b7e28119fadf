package io.headgate.scheduler;

import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// The speed of the same PostgreSQL in the same run without Headgate: durable inserts, one row per
/// transaction and a hundred.
///
/// @param insertsPerSecond single rows, of 64 clients together
/// @param batchRowsPerSecond rows in transactions of a hundred, of 8 clients together
/// @param commitMillis a transaction of one row, of one client alone
record LoadCalibration(double insertsPerSecond, double batchRowsPerSecond, double commitMillis) {
  private static final Duration ROUND = Duration.ofSeconds(3);
  private static final int CLIENTS = 64;
  private static final int BATCH_CLIENTS = 8;
  private static final int BATCH = 100;
  private static final String INSERT =
      "insert into calibration select 'job-' || i, repeat('x', 200) from generate_series(1, ?) i";

  static LoadCalibration measure(PostgresServer postgres) {
    DatabaseConfig config = postgres.provision("calibration", "calibration").asOwner();
    try (Connection connection = connect(config);
        Statement statement = connection.createStatement()) {
      statement.execute("create table if not exists calibration (name text, document text)");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    double single = transactions(config, CLIENTS, 1);
    double batches = transactions(config, BATCH_CLIENTS, BATCH);
    double alone = transactions(config, 1, 1);
    return new LoadCalibration(single, batches * BATCH, 1000 / alone);
  }

  private static Connection connect(DatabaseConfig config) throws SQLException {
    return DriverManager.getConnection(config.url(), config.user(), config.password().reveal());
  }

  /// @return transactions a second
  private static double transactions(DatabaseConfig config, int clients, int rows) {
    try (ExecutorService pool = Executors.newFixedThreadPool(clients)) {
      List<Future<Long>> all = new ArrayList<>();
      long end = System.nanoTime() + ROUND.toNanos();
      for (int i = 0; i < clients; i++) {
        all.add(pool.submit(() -> insert(config, rows, end)));
      }
      long done = 0;
      for (Future<Long> each : all) {
        done += each.get();
      }
      return done / (ROUND.toMillis() / 1000.0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static long insert(DatabaseConfig config, int rows, long end) throws SQLException {
    long done = 0;
    try (Connection connection = connect(config);
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      while (System.nanoTime() < end) {
        insert.setInt(1, rows);
        insert.executeUpdate();
        done++;
      }
    }
    return done;
  }
}
