package io.headgate.policy;

import static org.awaitility.Awaitility.await;

import io.headgate.kit.db.DatabaseConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Sign-ins under a penalty that wait for the rows of their keys, so that no other one is looked up
/// meanwhile. Closing it lets them go, and checks that they succeed.
final class FullSlowLane implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Connection connection;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> waiting = new ArrayList<>();

  private FullSlowLane(Connection connection) {
    this.connection = connection;
  }

  /// @param keys ids of the keys whose rows are locked
  /// @param signIns one for each key; they throw if they fail
  static FullSlowLane of(DatabaseConfig database, List<String> keys, List<Runnable> signIns)
      throws SQLException {
    Connection connection =
        DriverManager.getConnection(database.url(), database.user(), database.password().reveal());
    connection.setSchema(database.schema());
    connection.setAutoCommit(false);
    FullSlowLane lane = new FullSlowLane(connection);
    try (PreparedStatement lock =
        connection.prepareStatement("select 1 from keys where key_id = any (?) for update")) {
      lock.setArray(1, connection.createArrayOf("text", keys.toArray()));
      lock.execute();
    }
    signIns.forEach(signIn -> lane.waiting.add(lane.threads.submit(signIn)));
    await().atMost(PATIENCE).until(lane::isFull);
    return lane;
  }

  /// Whether all the sign-ins wait for their rows.
  boolean isFull() throws SQLException {
    try (PreparedStatement count =
            connection.prepareStatement(
                """
                select count(*) from pg_locks waiting join pg_locks held using (transactionid)
                where not waiting.granted and held.granted and held.pid = pg_backend_pid()\
                """);
        ResultSet row = count.executeQuery()) {
      return row.next() && row.getInt(1) == waiting.size();
    }
  }

  @Override
  public void close() throws SQLException {
    connection.rollback();
    connection.close();
    threads.close();
    waiting.forEach(Future::resultNow);
  }
}
